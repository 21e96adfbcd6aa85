// The operations of the kernels on plain C types: a vector is one byte.
#ifndef CPNG_VECTOR_SCALAR_H
#define CPNG_VECTOR_SCALAR_H

#include "bits.h"
#include "cost_table.h"
#include <stdbool.h>
#include <stddef.h>

#define CPNG_TARGET
#define INLINE static inline __attribute__((always_inline))
enum { VECTOR = 1 };

typedef uint8_t vector;

INLINE vector v_load(const uint8_t *at) { return *at; }
INLINE void v_store(uint8_t *at, vector a) { *at = a; }
INLINE vector v_set(uint8_t a) { return a; }
INLINE vector v_sub(vector a, vector b) { return (vector)(a - b); }
INLINE vector v_add(vector a, vector b) { return (vector)(a + b); }
// Half the sum, rounded down.
INLINE vector v_half(vector a, vector b) { return (vector)((a + b) >> 1); }

// The Paeth predictor: left, up or corner, whichever is nearest to left + up - corner.
INLINE vector v_paeth(vector left, vector up, vector corner) {
  int to_left = up - corner, to_up = left - corner, to_corner = to_left + to_up;
  if (to_left < 0) to_left = -to_left;
  if (to_up < 0) to_up = -to_up;
  if (to_corner < 0) to_corner = -to_corner;
  int nearest = to_up < to_corner ? to_up : to_corner;
  vector second = to_up <= to_corner ? up : corner;
  return to_left <= nearest ? left : second;
}

// The cost of a residual (see cost_table.h).
INLINE vector v_cost(vector residual) { return (vector)cpng_cost(residual); }

// The sum of all bytes.
INLINE uint64_t v_sum(vector a) { return a; }

// One bit for each of 64 pairs of bytes that are equal, the first pair lowest.
INLINE uint64_t equal64(const uint8_t *a, const uint8_t *b) {
  const uint64_t low = 0x7f7f7f7f7f7f7f7f;
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; i++) {
    uint64_t different = cpng_load64(a + 8 * i) ^ cpng_load64(b + 8 * i);
    uint64_t equal = ~(((different & low) + low) | different | low) >> 7;
    mask |= (equal * 0x0102040810204080 >> 56) << 8 * i;
  }
  return mask;
}

#endif
