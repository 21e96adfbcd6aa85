// Turns a row of the caller's pixels into a row of PNG samples.
#ifndef CPNG_CONVERT_H
#define CPNG_CONVERT_H

#include "cpng_picture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes `width` pixels of one PNG row (big-endian samples, PNG channel order, packed from the
// high bit for depths under 8) to `out`, from one row of the caller's memory. `context` is what
// the converter needs to know beyond that, such as a palette to look colours up in. NULL in place
// of a converter means that the caller's rows already are PNG rows and must not be copied.
typedef void cpng_convert_row(const void *context, uint8_t *restrict out,
                              const uint8_t *restrict in, size_t width);

// The converter of a format, for the selected kernel; its context is not used. `portable` asks for
// plain C, which gives the same bytes as the vector code. `premultiplied` counts only where there
// is alpha.
cpng_convert_row *cpng_find_converter(cpng_format format, bool premultiplied, bool portable);

// The plain C ones, which also finish what is too short for a vector.
cpng_convert_row cpng_swap_1x16, cpng_swap_2x16, cpng_swap_3x16, cpng_swap_4x16;
cpng_convert_row cpng_bgra_to_rgba, cpng_argb_to_rgba, cpng_abgr_to_rgba;
cpng_convert_row cpng_bgrx_to_rgb, cpng_rgbx_to_rgb;
cpng_convert_row cpng_straight_rgba, cpng_straight_bgra, cpng_straight_argb, cpng_straight_abgr;
cpng_convert_row cpng_straight_graya, cpng_straight_graya16, cpng_straight_rgba16;

#if defined(__x86_64__)
cpng_convert_row cpng_swap_1x16_avx2, cpng_swap_2x16_avx2, cpng_swap_3x16_avx2, cpng_swap_4x16_avx2;
cpng_convert_row cpng_bgra_to_rgba_avx2, cpng_argb_to_rgba_avx2, cpng_abgr_to_rgba_avx2;
cpng_convert_row cpng_bgrx_to_rgb_avx2, cpng_rgbx_to_rgb_avx2;
cpng_convert_row cpng_straight_rgba_avx2, cpng_straight_bgra_avx2, cpng_straight_argb_avx2,
    cpng_straight_abgr_avx2, cpng_straight_rgba16_avx2;
#endif

#endif
