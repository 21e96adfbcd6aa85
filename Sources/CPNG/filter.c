#include "filter.h"

static uint8_t paeth(uint8_t left, uint8_t up, uint8_t corner) {
  int to_left = up - corner, to_up = left - corner, to_corner = to_left + to_up;
  if (to_left < 0) to_left = -to_left;
  if (to_up < 0) to_up = -to_up;
  if (to_corner < 0) to_corner = -to_corner;
  if (to_left <= to_up && to_left <= to_corner) return left;
  return to_up <= to_corner ? up : corner;
}

static inline uint8_t residual(cpng_filter filter, uint8_t here, uint8_t left, uint8_t up,
                               uint8_t corner) {
  switch (filter) {
  case CPNG_NONE:
    return here;
  case CPNG_SUB:
    return (uint8_t)(here - left);
  case CPNG_UP:
    return (uint8_t)(here - up);
  case CPNG_AVERAGE:
    return (uint8_t)(here - ((left + up) >> 1));
  case CPNG_PAETH:
    return (uint8_t)(here - paeth(left, up, corner));
  }
  return here;
}

void cpng_filter_row(cpng_filter filter, uint8_t *restrict out, const uint8_t *restrict row,
                     const uint8_t *restrict above, size_t count, size_t unit) {
  size_t first = unit < count ? unit : count;
  for (size_t i = 0; i < first; i++)
    out[i] = residual(filter, row[i], 0, above[i], 0);
  for (size_t i = first; i < count; i++)
    out[i] = residual(filter, row[i], row[i - unit], above[i], above[i - unit]);
}

// About how many bits a residual takes, from its magnitude.
static unsigned cost(uint8_t value) {
  unsigned magnitude = value < 128 ? value : 256u - value;
  return magnitude == 0 ? 0 : 33 - (unsigned)__builtin_clz(magnitude);
}

cpng_filter cpng_choose_filter(const uint8_t *row, const uint8_t *above, size_t count,
                               size_t unit) {
  uint64_t costs[5] = {count / 4};
  for (size_t i = 0; i < count; i++) {
    uint8_t left = i < unit ? 0 : row[i - unit], corner = i < unit ? 0 : above[i - unit];
    for (unsigned filter = 0; filter < 5; filter++)
      costs[filter] += cost(residual((cpng_filter)filter, row[i], left, above[i], corner));
  }
  unsigned best = 0;
  for (unsigned filter = 1; filter < 5; filter++) {
    if (costs[filter] < costs[best]) best = filter;
  }
  return (cpng_filter)best;
}
