#include "filter.h"
#include "kernel.h"

void cpng_filter_row(cpng_filter filter, uint8_t *restrict out, const uint8_t *restrict row,
                     const uint8_t *restrict above, size_t count, size_t unit) {
  cpng_kernel()->filter_row[filter](out, row, above, count, unit);
}

void cpng_filter_costs(uint64_t costs[5], const uint8_t *row, const uint8_t *above, size_t count,
                       size_t unit, size_t step) {
  cpng_kernel()->filter_costs(costs, row, above, count, unit, step);
}

cpng_filter cpng_choose_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t unit,
                               size_t step) {
  uint64_t costs[5];
  cpng_filter_costs(costs, row, above, count, unit, step);
  unsigned best = CPNG_SUB;
  for (unsigned filter = CPNG_UP; filter <= CPNG_PAETH; filter++) {
    if (costs[filter] < costs[best]) best = filter;
  }
  return (cpng_filter)best;
}
