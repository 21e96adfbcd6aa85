// The cheapest of many match lengths, eight at a time. Included by a kernel's file.
#include <immintrin.h>

static inline __attribute__((always_inline)) CPNG_TARGET __m256i least_of_all(__m256i a) {
  a = _mm256_min_epi32(a, _mm256_permute2x128_si256(a, a, 1));
  a = _mm256_min_epi32(a, _mm256_shuffle_epi32(a, 0x4e));
  return _mm256_min_epi32(a, _mm256_shuffle_epi32(a, 0xb1));
}

CPNG_TARGET static uint32_t least_sum(const uint32_t *from, const uint16_t *costs, uint32_t first,
                                      uint32_t last, uint32_t *sum) {
  const __m256i none = _mm256_set1_epi32(INT32_MAX);
  __m256i least = none, where = none;
  __m256i at =
      _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  for (uint32_t length = first;;) {
    __m256i total = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(costs + length)));
    total = _mm256_add_epi32(total, _mm256_loadu_si256((const void *)(from + length)));
    where = _mm256_blendv_epi8(where, at, _mm256_cmpgt_epi32(least, total));
    least = _mm256_min_epi32(least, total);
    if (length + 7 >= last) break;
    // The last eight may overlap those before.
    uint32_t step = length + 15 <= last ? 8 : last - 7 - length;
    length += step;
    at = _mm256_add_epi32(at, _mm256_set1_epi32((int)step));
  }
  __m256i minimum = least_of_all(least);
  *sum = (uint32_t)_mm256_cvtsi256_si32(minimum);
  where = _mm256_blendv_epi8(none, where, _mm256_cmpeq_epi32(least, minimum));
  return (uint32_t)_mm256_cvtsi256_si32(least_of_all(where));
}
