// What a filter's residual costs, in quarter bits, from its magnitude: log2(1 + magnitude).
#ifndef CPNG_COST_TABLE_H
#define CPNG_COST_TABLE_H

#include <stdint.h>

// The cost is low[min(magnitude, 15)] + high[magnitude / 16], so that two shuffles find it.
static const uint8_t cpng_cost_low[16] = {0,  4,  6,  8,  9,  10, 11, 12,
                                          13, 13, 14, 14, 15, 15, 16, 16};
static const uint8_t cpng_cost_high[16] = {0, 2, 5, 7, 9, 10, 11, 12, 12};

enum { CPNG_COST_MAX = 28 };

static inline unsigned cpng_cost(uint8_t residual) {
  unsigned magnitude = residual < 128 ? residual : 256u - residual;
  return cpng_cost_low[magnitude < 15 ? magnitude : 15] + cpng_cost_high[magnitude / 16];
}

#endif
