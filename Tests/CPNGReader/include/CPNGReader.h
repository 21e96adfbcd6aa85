// Reads a PNG with libpng, so that tests can compare it with another decoder.
#ifndef CPNGREADER_H
#define CPNGREADER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t width, height;
  uint8_t bit_depth, color_type;
  size_t row_bytes;
  uint8_t *_Nullable rows;  // packed PNG rows, for png_reader_free
  char error[128];          // empty when all went well; a warning counts as an error
} png_reader_image;

void png_reader_read(png_reader_image *_Nonnull image, const uint8_t *_Nonnull png, size_t count);
const char *_Nonnull png_reader_error(const png_reader_image *_Nonnull image);
void png_reader_free(png_reader_image *_Nonnull image);

#endif
