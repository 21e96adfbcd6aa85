// CRC-32 with carry-less multiplication, Adler-32 with AVX2.
#include <zlib.h>

// Multiplies both halves of `a` by x^512 or x^128 modulo the CRC's polynomial, in its reflected
// order, and adds what follows that many bits later.
INLINE __m128i fold(__m128i a, __m128i factors, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(a, factors, 0x00);
  __m128i high = _mm_clmulepi64_si128(a, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

CPNG_TARGET static uint32_t crc(uint32_t crc, const uint8_t *bytes, size_t count) {
  if (count < 128) return (uint32_t)crc32_z(crc, bytes, count);
  const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const __m128i *next = (const __m128i *)bytes;
  __m128i sums[4];
  for (unsigned i = 0; i < 4; i++)
    sums[i] = _mm_loadu_si128(next++);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128((int)~crc));
  for (count -= 64; count >= 64; count -= 64) {
    for (unsigned i = 0; i < 4; i++)
      sums[i] = fold(sums[i], by_512, _mm_loadu_si128(next++));
  }
  for (unsigned i = 1; i < 4; i++)
    sums[0] = fold(sums[0], by_128, sums[i]);
  for (; count >= 16; count -= 16)
    sums[0] = fold(sums[0], by_128, _mm_loadu_si128(next++));
  // What is left has the remainder of the whole. Its CRC starts from an empty register, which
  // zlib, as it inverts on the way in and out, calls ~0.
  uint8_t rest[16];
  _mm_storeu_si128((__m128i *)rest, sums[0]);
  crc = (uint32_t)crc32_z(UINT32_MAX, rest, sizeof rest);
  return (uint32_t)crc32_z(crc, (const uint8_t *)next, count);
}

INLINE uint32_t sum32(__m256i a) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
  return (uint32_t)_mm_cvtsi128_si32(half);
}

CPNG_TARGET static uint32_t adler(uint32_t adler, const uint8_t *bytes, size_t count) {
  enum { BASE = 65521, MOST = 5536 };  // more bytes could overflow 32 bits between two remainders
  const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
  const __m256i weights =
      _mm256_setr_epi8(32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
                       13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  uint32_t first = adler & 0xffff, second = adler >> 16;
  while (count >= 32) {
    size_t vectors = (count < MOST ? count : MOST) / 32;
    __m256i sums = zero, weighted = zero, before = zero;
    second += first * 32 * (uint32_t)vectors;
    for (size_t i = 0; i < vectors; i++, bytes += 32) {
      __m256i next = v_load(bytes);
      before = _mm256_add_epi32(before, sums);  // each counts for 32 in every later vector
      sums = _mm256_add_epi32(sums, _mm256_sad_epu8(next, zero));
      weighted =
          _mm256_add_epi32(weighted, _mm256_madd_epi16(_mm256_maddubs_epi16(next, weights), ones));
    }
    first = (first + sum32(sums)) % BASE;
    second = (second + 32 * sum32(before) + sum32(weighted)) % BASE;
    count -= vectors * 32;
  }
  return (uint32_t)adler32_z(second << 16 | first, bytes, count);
}
