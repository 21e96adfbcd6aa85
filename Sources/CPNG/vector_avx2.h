// The operations of the kernels with AVX2, except equal64. See vector_scalar.h for what they mean.
#ifndef CPNG_VECTOR_AVX2_H
#define CPNG_VECTOR_AVX2_H

#include "bits.h"
#include "cost_table.h"
#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef CPNG_TARGET
#define CPNG_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))
#endif
#define INLINE static inline __attribute__((always_inline)) CPNG_TARGET
enum { VECTOR = 32, CPNG_FEW_LITERALS = 12 };

typedef __m256i vector;

INLINE vector v_load(const uint8_t *at) { return _mm256_loadu_si256((const __m256i *)at); }
INLINE void v_store(uint8_t *at, vector a) { _mm256_storeu_si256((__m256i *)at, a); }
INLINE vector v_set(uint8_t a) { return _mm256_set1_epi8((char)a); }
INLINE vector v_sub(vector a, vector b) { return _mm256_sub_epi8(a, b); }
INLINE vector v_add(vector a, vector b) { return _mm256_add_epi8(a, b); }

INLINE vector v_half(vector a, vector b) {
  vector odd = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
  return _mm256_sub_epi8(_mm256_avg_epu8(a, b), odd);  // the average is rounded up
}

// All in bytes. left + up - 2 corner is the sum of two differences; where their signs differ, the
// saturated parts cancel exactly, and where they agree, a saturated sum is still above both.
INLINE vector v_paeth(vector left, vector up, vector corner) {
  vector up_more = _mm256_subs_epu8(up, corner), up_less = _mm256_subs_epu8(corner, up);
  vector left_more = _mm256_subs_epu8(left, corner), left_less = _mm256_subs_epu8(corner, left);
  vector to_left = _mm256_or_si256(up_more, up_less);
  vector to_up = _mm256_or_si256(left_more, left_less);
  vector more = _mm256_adds_epu8(up_more, left_more);
  vector less = _mm256_adds_epu8(up_less, left_less);
  vector to_corner = _mm256_or_si256(_mm256_subs_epu8(more, less), _mm256_subs_epu8(less, more));
  vector nearest = _mm256_min_epu8(to_up, to_corner);
  vector second = _mm256_blendv_epi8(corner, up, _mm256_cmpeq_epi8(nearest, to_up));
  vector is_left = _mm256_cmpeq_epi8(_mm256_min_epu8(nearest, to_left), to_left);
  return _mm256_blendv_epi8(second, left, is_left);
}

// The cost of a residual (see cost_table.h).
INLINE vector v_cost(vector residual) {
  vector low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)cpng_cost_low));
  vector high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)cpng_cost_high));
  vector magnitude = _mm256_abs_epi8(residual), nibble = _mm256_set1_epi8(15);
  vector tens = _mm256_and_si256(_mm256_srli_epi16(magnitude, 4), nibble);
  return _mm256_add_epi8(_mm256_shuffle_epi8(low, _mm256_min_epu8(magnitude, nibble)),
                         _mm256_shuffle_epi8(high, tens));
}

INLINE uint64_t v_sum(vector a) {
  vector sums = _mm256_sad_epu8(a, _mm256_setzero_si256());
  __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

#endif
