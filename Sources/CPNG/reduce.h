// Looks for a smaller form of an image that loses nothing.
#ifndef CPNG_REDUCE_H
#define CPNG_REDUCE_H

#include "convert.h"
#include "strip.h"

enum { CPNG_COLOR_SLOTS = 1024 };

// How to get from the caller's pixels to the smaller form.
typedef struct {
  uint8_t channels, depth;  // of the smaller form
  uint16_t color_count;     // of its palette; 0: it has none
  uint8_t colors[256 * 4];  // red, green, blue, alpha; the ones that are not opaque come first
  // The unreduced form: its converter, bytes a pixel in the caller's memory and in a PNG row, and
  // bytes a sample.
  cpng_convert_row *convert;
  uint8_t source_bytes, bytes, sample;
  // Which bytes of an unreduced pixel make the smaller one.
  uint8_t kept_count, kept[8];
  // From a colour to its index: open addressing, index + 1, 0 where nothing is.
  uint32_t keys[CPNG_COLOR_SLOTS];
  uint16_t indexes[CPNG_COLOR_SLOTS];
} cpng_reduction;

// Scans the image and stops as soon as nothing can be won any more. `*reduction` is for `free`, or
// NULL when the image stays as it is. False when memory runs out. `keep_color_space` leaves gray
// gray and colour colour, as an ICC profile demands.
bool cpng_reduce(const cpng_image *image, unsigned source_bytes, bool keep_color_space,
                 cpng_reduction **reduction);

// The converter of a reduced image; its context is the reduction.
cpng_convert_row cpng_reduce_row;

#endif
