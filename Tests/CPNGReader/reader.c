#include "CPNGReader.h"
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  png_reader_image *image;
  const uint8_t *bytes;
  size_t count;
  jmp_buf escape;
} reader;

static void on_error(png_structp png, png_const_charp message) {
  reader *reader = png_get_error_ptr(png);
  snprintf(reader->image->error, sizeof reader->image->error, "%s", message);
  longjmp(reader->escape, 1);
}

static void on_read(png_structp png, png_bytep out, size_t count) {
  reader *reader = png_get_io_ptr(png);
  if (count > reader->count) png_error(png, "the file ends too early");
  memcpy(out, reader->bytes, count);
  reader->bytes += count;
  reader->count -= count;
}

static void read_palette(png_structp png, png_infop info, png_reader_image *image) {
  png_colorp colors;
  png_bytep alpha;
  int count = 0, alpha_count = 0;
  if (image->color_type != PNG_COLOR_TYPE_PALETTE) return;
  if (png_get_PLTE(png, info, &colors, &count) == 0) png_error(png, "no palette");
  if (png_get_tRNS(png, info, &alpha, &alpha_count, NULL) == 0) alpha_count = 0;
  for (int i = 0; i < count && i < 256; i++) {
    uint8_t *entry = image->palette + i * 4;
    entry[0] = colors[i].red;
    entry[1] = colors[i].green;
    entry[2] = colors[i].blue;
    entry[3] = i < alpha_count ? alpha[i] : 255;
    image->palette_count = (size_t)i + 1;
  }
}

static void read_image(png_structp png, png_infop info, png_reader_image *image) {
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  image->width = png_get_image_width(png, info);
  image->height = png_get_image_height(png, info);
  image->bit_depth = png_get_bit_depth(png, info);
  image->color_type = png_get_color_type(png, info);
  read_palette(png, info, image);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  image->row_bytes = png_get_rowbytes(png, info);
  image->rows = calloc(image->height, image->row_bytes);
  if (image->rows == NULL) png_error(png, "out of memory");
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t y = 0; y < image->height; y++)
      png_read_row(png, image->rows + y * image->row_bytes, NULL);
  }
  png_read_end(png, info);
}

void png_reader_read(png_reader_image *image, const uint8_t *bytes, size_t count) {
  reader reader = {.image = image, .bytes = bytes, .count = count};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_error);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  if (info == NULL) {
    snprintf(image->error, sizeof image->error, "out of memory");
  } else if (setjmp(reader.escape) == 0) {
    png_set_read_fn(png, &reader, on_read);
    read_image(png, info, image);
    if (reader.count != 0) snprintf(image->error, sizeof image->error, "bytes behind IEND");
  }
  png_destroy_read_struct(&png, &info, NULL);
}

uint8_t png_reader_palette(const png_reader_image *image, size_t index) {
  return image->palette[index];
}

const char *png_reader_error(const png_reader_image *image) { return image->error; }

void png_reader_free(png_reader_image *image) { free(image->rows); }
