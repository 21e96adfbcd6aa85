// PNG's five row filters (PNG specification, section 9).
#ifndef CPNG_FILTER_H
#define CPNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

typedef enum { CPNG_NONE, CPNG_SUB, CPNG_UP, CPNG_AVERAGE, CPNG_PAETH } cpng_filter;

// Filters one row of `count` bytes into `out`, without the filter byte. `above` is the row above,
// zeros for an image's first row; `unit` is the bytes of a pixel, at least 1.
void cpng_filter_row(cpng_filter filter, uint8_t *restrict out, const uint8_t *restrict row,
                     const uint8_t *restrict above, size_t count, size_t unit);

// About how many quarter bits the residuals of each filter will take. Of the row's groups of 256
// bytes, one in `step` is looked at; with 1, every byte but the first pixel.
void cpng_filter_costs(uint64_t costs[5], const uint8_t *row, const uint8_t *above, size_t count,
                       size_t unit, size_t step);

// The filter, other than none, whose residuals should take the fewest bits, by one in `step` parts
// of the row.
cpng_filter cpng_choose_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t unit,
                               size_t step);

#endif
