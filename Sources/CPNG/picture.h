// What `cpng_picture` is made of, for the files that write it.
#ifndef CPNG_PICTURE_PRIVATE_H
#define CPNG_PICTURE_PRIVATE_H

#include "cpng_picture.h"
#include "reduce.h"
#include "strip.h"

struct cpng_picture {
  cpng_image image;
  cpng_format format;
  bool premultiplied;
  uint8_t color_type;
  // Colours as PLTE wants them, and alpha as tRNS does: without the opaque entries at its end.
  uint16_t palette_count, alpha_count;
  uint8_t palette[256][3], alpha[256];
  cpng_reduction *reduction;  // the image's context, or NULL
};

// Bits from a pixel to the next one in the caller's memory.
unsigned cpng_format_bits(cpng_format format);

// Whether all indexes of a row are in the palette; if not, `bad` says where.
bool cpng_picture_check_row(const cpng_picture *picture, const uint8_t *row, uint32_t y,
                            cpng_bad_index *bad);

#endif
