#include "picture.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t bits, depth, channels, color_type;
} layout;

static layout layout_of(cpng_format format) {
  switch (format) {
  case CPNG_GRAY1:
    return (layout){1, 1, 1, PNG_COLOR_TYPE_GRAY};
  case CPNG_GRAY2:
    return (layout){2, 2, 1, PNG_COLOR_TYPE_GRAY};
  case CPNG_GRAY4:
    return (layout){4, 4, 1, PNG_COLOR_TYPE_GRAY};
  case CPNG_GRAY8:
    return (layout){8, 8, 1, PNG_COLOR_TYPE_GRAY};
  case CPNG_GRAY16:
    return (layout){16, 16, 1, PNG_COLOR_TYPE_GRAY};
  case CPNG_GRAYA8:
    return (layout){16, 8, 2, PNG_COLOR_TYPE_GRAY_ALPHA};
  case CPNG_GRAYA16:
    return (layout){32, 16, 2, PNG_COLOR_TYPE_GRAY_ALPHA};
  case CPNG_RGB8:
    return (layout){24, 8, 3, PNG_COLOR_TYPE_RGB};
  case CPNG_RGB16:
    return (layout){48, 16, 3, PNG_COLOR_TYPE_RGB};
  case CPNG_RGBA16:
    return (layout){64, 16, 4, PNG_COLOR_TYPE_RGB_ALPHA};
  case CPNG_RGBA8:
  case CPNG_BGRA8:
  case CPNG_ARGB8:
  case CPNG_ABGR8:
    return (layout){32, 8, 4, PNG_COLOR_TYPE_RGB_ALPHA};
  case CPNG_BGRX8:
  case CPNG_RGBX8:
    return (layout){32, 8, 3, PNG_COLOR_TYPE_RGB};
  case CPNG_INDEX1:
    return (layout){1, 1, 1, PNG_COLOR_TYPE_PALETTE};
  case CPNG_INDEX2:
    return (layout){2, 2, 1, PNG_COLOR_TYPE_PALETTE};
  case CPNG_INDEX4:
    return (layout){4, 4, 1, PNG_COLOR_TYPE_PALETTE};
  case CPNG_INDEX8:
    return (layout){8, 8, 1, PNG_COLOR_TYPE_PALETTE};
  }
  abort();  // no such format
}

static void set_palette(cpng_picture *picture, const uint8_t *colors, unsigned count) {
  picture->palette_count = (uint16_t)count;
  for (unsigned i = 0; i < count; i++) {
    memcpy(picture->palette[i], colors + 4 * i, 3);
    picture->alpha[i] = colors[4 * i + 3];
    if (picture->alpha[i] != 255) picture->alpha_count = (uint16_t)(i + 1);
  }
}

static uint8_t color_type(unsigned channels) {
  static const uint8_t types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  return types[channels - 1];
}

static void take_reduction(cpng_picture *picture) {
  const cpng_reduction *reduction = picture->reduction;
  cpng_image *image = &picture->image;
  image->bit_depth = reduction->depth;
  image->channels = reduction->channels;
  image->indexed = reduction->color_count != 0;
  image->convert = cpng_reduce_row;
  image->context = reduction;
  if (image->indexed) {
    picture->color_type = PNG_COLOR_TYPE_PALETTE;
    set_palette(picture, reduction->colors, reduction->color_count);
  } else {
    picture->color_type = color_type(reduction->channels);
  }
}

cpng_picture *cpng_picture_create(const cpng_pixels *pixels, cpng_reduce_mode mode) {
  cpng_picture *picture = calloc(1, sizeof *picture);
  if (picture == NULL) return NULL;
  layout layout = layout_of(pixels->format);
  picture->format = pixels->format;
  picture->premultiplied = pixels->premultiplied;
  picture->color_type = layout.color_type;
  picture->image = (cpng_image){
      .rows = pixels->rows,
      .stride = pixels->stride,
      .width = pixels->width,
      .height = pixels->height,
      .bit_depth = layout.depth,
      .channels = layout.channels,
      .indexed = layout.color_type == PNG_COLOR_TYPE_PALETTE,
      .convert = cpng_find_converter(pixels->format, pixels->premultiplied, false),
  };
  if (pixels->palette != NULL) set_palette(picture, pixels->palette, pixels->palette_count);
  if (mode != CPNG_REDUCE_NONE && layout.bits >= 8 && !picture->image.indexed) {
    bool keep = mode == CPNG_REDUCE_KEEPING_COLOR_SPACE;
    if (!cpng_reduce(&picture->image, layout.bits / 8, keep, &picture->reduction)) {
      free(picture);
      return NULL;
    }
    if (picture->reduction != NULL) take_reduction(picture);
  }
  return picture;
}

void cpng_picture_destroy(cpng_picture *picture) {
  free(picture->reduction);
  free(picture);
}

bool cpng_picture_use_portable(cpng_picture *picture) {
  cpng_image *image = &picture->image;
  cpng_convert_row *before = image->convert;
  if (picture->reduction != NULL) return false;
  image->convert = cpng_find_converter(picture->format, picture->premultiplied, true);
  return image->convert != before;
}

bool cpng_picture_convert(const cpng_picture *picture, const uint8_t *row, uint8_t *out) {
  const cpng_image *image = &picture->image;
  if (image->convert == NULL) return false;
  image->convert(image->context, out, row, image->width);
  return true;
}

unsigned cpng_format_bits(cpng_format format) { return layout_of(format).bits; }

uint8_t cpng_picture_bit_depth(const cpng_picture *picture) { return picture->image.bit_depth; }

uint8_t cpng_picture_color_type(const cpng_picture *picture) { return picture->color_type; }

size_t cpng_picture_row_bytes(const cpng_picture *picture) {
  const cpng_image *image = &picture->image;
  return ((size_t)image->width * image->channels * image->bit_depth + 7) / 8;
}

static inline uint8_t index_at(const uint8_t *row, uint32_t x, unsigned depth) {
  unsigned per_byte = 8 / depth;
  unsigned shift = 8 - depth * (x % per_byte + 1);
  return (uint8_t)((row[x / per_byte] >> shift) & ((1u << depth) - 1));
}

// The largest index in whole bytes. `depth` is a constant where this is called, which lets
// compilers use vectors.
static inline uint8_t largest_in(const uint8_t *bytes, uint32_t count, unsigned depth) {
  uint8_t largest = 0, mask = (uint8_t)((1u << depth) - 1);
  for (unsigned shift = 0; shift < 8; shift += depth) {
    for (uint32_t i = 0; i < count; i++) {
      uint8_t index = (uint8_t)(bytes[i] >> shift) & mask;
      largest = index > largest ? index : largest;
    }
  }
  return largest;
}

// The largest index of a row; the bits behind its last pixel do not count.
static uint8_t largest_index(const uint8_t *row, uint32_t width, unsigned depth) {
  uint32_t per_byte = 8 / depth, whole = width / per_byte;
  uint8_t largest = depth == 8   ? largest_in(row, whole, 8)
                    : depth == 4 ? largest_in(row, whole, 4)
                    : depth == 2 ? largest_in(row, whole, 2)
                                 : largest_in(row, whole, 1);
  for (uint32_t x = whole * per_byte; x < width; x++) {
    uint8_t index = index_at(row, x, depth);
    largest = index > largest ? index : largest;
  }
  return largest;
}

bool cpng_picture_check_row(const cpng_picture *picture, const uint8_t *row, uint32_t y,
                            cpng_bad_index *bad) {
  unsigned depth = picture->image.bit_depth, count = picture->palette_count;
  if (count == 0 || picture->reduction != NULL || count >= 1u << depth) return true;
  uint32_t width = picture->image.width;
  if (largest_index(row, width, depth) < count) return true;
  uint32_t x = 0;
  while (index_at(row, x, depth) < count)
    x++;
  *bad = (cpng_bad_index){.x = x, .y = y, .index = index_at(row, x, depth)};
  return false;
}
