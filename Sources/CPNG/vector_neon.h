// The operations of the kernels with NEON. See vector_scalar.h for what they mean.
#ifndef CPNG_VECTOR_NEON_H
#define CPNG_VECTOR_NEON_H

#include "bits.h"
#include "cost_table.h"
#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>

#define CPNG_TARGET
#define INLINE static inline __attribute__((always_inline))
enum { VECTOR = 16, CPNG_FEW_LITERALS = 8 };

typedef uint8x16_t vector;

INLINE vector v_load(const uint8_t *at) { return vld1q_u8(at); }
INLINE void v_store(uint8_t *at, vector a) { vst1q_u8(at, a); }
INLINE vector v_set(uint8_t a) { return vdupq_n_u8(a); }
INLINE vector v_sub(vector a, vector b) { return vsubq_u8(a, b); }
INLINE vector v_add(vector a, vector b) { return vaddq_u8(a, b); }
INLINE vector v_half(vector a, vector b) { return vhaddq_u8(a, b); }

INLINE vector v_paeth(vector left, vector up, vector corner) {
  vector to_left = vabdq_u8(up, corner), to_up = vabdq_u8(left, corner);
  // left + up - 2 corner, which saturates only where it is above both others.
  vector more = vqaddq_u8(vqsubq_u8(up, corner), vqsubq_u8(left, corner));
  vector less = vqaddq_u8(vqsubq_u8(corner, up), vqsubq_u8(corner, left));
  vector to_corner = vabdq_u8(more, less);
  vector second = vbslq_u8(vcleq_u8(to_up, to_corner), up, corner);
  return vbslq_u8(vcleq_u8(to_left, vminq_u8(to_up, to_corner)), left, second);
}

// The cost of a residual (see cost_table.h).
INLINE vector v_cost(vector residual) {
  vector magnitude = vreinterpretq_u8_s8(vabsq_s8(vreinterpretq_s8_u8(residual)));
  vector low = vqtbl1q_u8(vld1q_u8(cpng_cost_low), vminq_u8(magnitude, vdupq_n_u8(15)));
  return vaddq_u8(low, vqtbl1q_u8(vld1q_u8(cpng_cost_high), vshrq_n_u8(magnitude, 4)));
}

INLINE uint64_t v_sum(vector a) { return vaddlvq_u8(a); }

// Adds up pairs until each byte of the result holds the bits of eight lanes.
INLINE uint64_t equal64(const uint8_t *a, const uint8_t *b) {
  static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const vector bits = vld1q_u8(weights);
  vector parts[4];
  for (unsigned i = 0; i < 4; i++)
    parts[i] = vandq_u8(vceqq_u8(v_load(a + 16 * i), v_load(b + 16 * i)), bits);
  vector halves = vpaddq_u8(vpaddq_u8(parts[0], parts[1]), vpaddq_u8(parts[2], parts[3]));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(halves, halves)), 0);
}

#endif
