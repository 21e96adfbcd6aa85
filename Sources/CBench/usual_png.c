#include "CBench.h"
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} growing;

static void on_write(png_structp png, png_bytep bytes, size_t count) {
  growing *out = png_get_io_ptr(png);
  if (count > out->capacity - out->count) {
    size_t capacity = (out->capacity + count) * 2;
    uint8_t *moved = realloc(out->bytes, capacity);
    if (moved == NULL) png_error(png, "out of memory");
    out->bytes = moved;
    out->capacity = capacity;
  }
  memcpy(out->bytes + out->count, bytes, count);
  out->count += count;
}

static void on_flush(png_structp png) { (void)png; }

static void set_palette(png_structp png, png_infop info, const cbench_image *image) {
  png_color colors[256];
  png_byte alpha[256];
  size_t clear = 0;
  for (size_t i = 0; i < image->palette_count; i++) {
    const uint8_t *entry = image->palette + i * 4;
    colors[i] = (png_color){entry[0], entry[1], entry[2]};
    alpha[i] = entry[3];
    if (entry[3] != 255) clear = i + 1;
  }
  png_set_PLTE(png, info, colors, (int)image->palette_count);
  if (clear > 0) png_set_tRNS(png, info, alpha, (int)clear, NULL);
}

static void write_image(png_structp png, png_infop info, const cbench_image *image) {
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, image->width, image->height, image->bit_depth, image->color_type,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (image->palette != NULL) set_palette(png, info, image);
  png_write_info(png, info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (image->bit_depth == 16) png_set_swap(png);
#endif
  for (uint32_t y = 0; y < image->height; y++)
    png_write_row(png, image->rows + y * image->row_bytes);
  png_write_end(png, info);
}

uint8_t *cbench_libpng_encode(const cbench_image *image, size_t *count) {
  growing out = {0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  volatile bool well = false;
  if (info != NULL && setjmp(png_jmpbuf(png)) == 0) {
    png_set_write_fn(png, &out, on_write, on_flush);
    write_image(png, info, image);
    well = true;
  }
  png_destroy_write_struct(&png, &info);
  if (!well) {
    free(out.bytes);
    return NULL;
  }
  *count = out.count;
  return out.bytes;
}
