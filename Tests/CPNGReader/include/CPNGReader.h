// Reads a PNG with libpng, for the tests, which compare it with another decoder, and for the bench.
#ifndef CPNGREADER_H
#define CPNGREADER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t width, height;
  uint8_t bit_depth, color_type;
  size_t row_bytes;
  uint8_t *_Nullable rows;  // packed PNG rows, for png_reader_free
  uint8_t palette[1024];    // red, green, blue, alpha of each color
  size_t palette_count;     // 0 unless the PNG's pixels are indexes
  char error[128];          // empty when all went well; a warning counts as an error
} png_reader_image;

void png_reader_read(png_reader_image *_Nonnull image, const uint8_t *_Nonnull png, size_t count);
// One byte of the palette, of `palette_count` times 4.
uint8_t png_reader_palette(const png_reader_image *_Nonnull image, size_t index);
const char *_Nonnull png_reader_error(const png_reader_image *_Nonnull image);
void png_reader_free(png_reader_image *_Nonnull image);

#endif
