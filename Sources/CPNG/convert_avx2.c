// The converters that are worth a vector, 8 pixels at a time; the plain C ones do the rest.
#include "convert.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m256i load(const uint8_t *in) {
  return _mm256_loadu_si256((const __m256i *)(const void *)in);
}

static inline AVX2 void store(uint8_t *out, __m256i bytes) {
  _mm256_storeu_si256((__m256i *)(void *)out, bytes);
}

// The byte order of four pixels of four bytes, for both halves of a vector.
static inline AVX2 __m256i order4(char r, char g, char b, char a) {
  return _mm256_broadcastsi128_si256(
      _mm_setr_epi8(r, g, b, a, (char)(4 + r), (char)(4 + g), (char)(4 + b), (char)(4 + a),
                    (char)(8 + r), (char)(8 + g), (char)(8 + b), (char)(8 + a), (char)(12 + r),
                    (char)(12 + g), (char)(12 + b), (char)(12 + a)));
}

// Swaps the bytes of `count` bytes of samples, returns how many are done.
static inline AVX2 size_t swap16(uint8_t *restrict out, const uint8_t *restrict in, size_t count) {
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  size_t i = 0;
  for (; i + 32 <= count; i += 32)
    store(out + i, _mm256_shuffle_epi8(load(in + i), order));
  return i;
}

// What is left need not be whole pixels, but it is whole samples.
#define SWAP16(channels)                                                                           \
  AVX2 void cpng_swap_##channels##x16_avx2(const void *context, uint8_t *restrict out,             \
                                           const uint8_t *restrict in, size_t width) {             \
    size_t count = 2 * channels * width, done = swap16(out, in, count);                            \
    cpng_swap_1x16(context, out + done, in + done, (count - done) / 2);                            \
  }
SWAP16(1)
SWAP16(2)
SWAP16(3)
SWAP16(4)

#define TO_RGBA(name, R, G, B, A)                                                                  \
  AVX2 void cpng_##name##_to_rgba_avx2(const void *context, uint8_t *restrict out,                 \
                                       const uint8_t *restrict in, size_t width) {                 \
    const __m256i order = order4(R, G, B, A);                                                      \
    size_t i = 0;                                                                                  \
    for (; i + 8 <= width; i += 8)                                                                 \
      store(out + 4 * i, _mm256_shuffle_epi8(load(in + 4 * i), order));                            \
    cpng_##name##_to_rgba(context, out + 4 * i, in + 4 * i, width - i);                            \
  }
TO_RGBA(bgra, 2, 1, 0, 3)
TO_RGBA(argb, 1, 2, 3, 0)
TO_RGBA(abgr, 3, 2, 1, 0)

// A store is 8 bytes longer than 8 pixels, so the last 3 pixels at least are left.
#define TO_RGB(name, R, G, B)                                                                      \
  AVX2 void cpng_##name##_to_rgb_avx2(const void *context, uint8_t *restrict out,                  \
                                      const uint8_t *restrict in, size_t width) {                  \
    const __m256i order =                                                                          \
        _mm256_broadcastsi128_si256(_mm_setr_epi8(R, G, B, 4 + R, 4 + G, 4 + B, 8 + R, 8 + G,      \
                                                  8 + B, 12 + R, 12 + G, 12 + B, -1, -1, -1, -1)); \
    const __m256i halves = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);                              \
    size_t i = 0;                                                                                  \
    for (; i + 11 <= width; i += 8) {                                                              \
      __m256i packed = _mm256_shuffle_epi8(load(in + 4 * i), order);                               \
      store(out + 3 * i, _mm256_permutevar8x32_epi32(packed, halves));                             \
    }                                                                                              \
    cpng_##name##_to_rgb(context, out + 3 * i, in + 4 * i, width - i);                             \
  }
TO_RGB(bgrx, 2, 1, 0)
TO_RGB(rgbx, 0, 1, 2)

// floor((255 c + floor(a / 2)) / a) of eight colours. Half is added before the division: then no
// quotient is nearer to a whole number than 1 / 2a, which is more than floats lose here.
static inline AVX2 __m256i straight8(__m256i c, __m256i a, __m256 half, __m256 reciprocal) {
  __m256 n = _mm256_cvtepi32_ps(_mm256_min_epi32(c, a));
  n = _mm256_add_ps(_mm256_mul_ps(n, _mm256_set1_ps(255)), half);
  return _mm256_cvttps_epi32(_mm256_mul_ps(n, reciprocal));
}

static inline AVX2 __m256i straight_rgba8(__m256i pixels) {
  const __m256i low = _mm256_set1_epi32(255);
  __m256i a = _mm256_srli_epi32(pixels, 24);
  __m256 half = _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(a, 1)), _mm256_set1_ps(0.5F));
  __m256 reciprocal = _mm256_div_ps(_mm256_set1_ps(1), _mm256_cvtepi32_ps(a));
  __m256i r = straight8(_mm256_and_si256(pixels, low), a, half, reciprocal);
  __m256i g = straight8(_mm256_and_si256(_mm256_srli_epi32(pixels, 8), low), a, half, reciprocal);
  __m256i b = straight8(_mm256_and_si256(_mm256_srli_epi32(pixels, 16), low), a, half, reciprocal);
  __m256i color =
      _mm256_or_si256(r, _mm256_or_si256(_mm256_slli_epi32(g, 8), _mm256_slli_epi32(b, 16)));
  color = _mm256_andnot_si256(_mm256_cmpeq_epi32(a, _mm256_setzero_si256()), color);
  return _mm256_or_si256(color, _mm256_slli_epi32(a, 24));
}

#define STRAIGHT_RGBA(name, R, G, B, A)                                                            \
  AVX2 void cpng_straight_##name##_avx2(const void *context, uint8_t *restrict out,                \
                                        const uint8_t *restrict in, size_t width) {                \
    const __m256i order = order4(R, G, B, A);                                                      \
    size_t i = 0;                                                                                  \
    for (; i + 8 <= width; i += 8)                                                                 \
      store(out + 4 * i, straight_rgba8(_mm256_shuffle_epi8(load(in + 4 * i), order)));            \
    cpng_straight_##name(context, out + 4 * i, in + 4 * i, width - i);                             \
  }
STRAIGHT_RGBA(rgba, 0, 1, 2, 3)
STRAIGHT_RGBA(bgra, 2, 1, 0, 3)
STRAIGHT_RGBA(argb, 1, 2, 3, 0)
STRAIGHT_RGBA(abgr, 3, 2, 1, 0)

// One pixel at a time, its samples as doubles, whose division of whole numbers never reaches the
// next whole number. Alpha's own lane is put back at the end.
AVX2 void cpng_straight_rgba16_avx2(const void *context, uint8_t *restrict out,
                                    const uint8_t *restrict in, size_t width) {
  (void)context;
  const __m128i order = _mm_setr_epi8(1, 0, 5, 4, 9, 8, 13, 12, -1, -1, -1, -1, -1, -1, -1, -1);
  for (size_t i = 0; i < width; i++) {
    __m128i pixel =
        _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(in + 8 * i)));
    __m128i a = _mm_shuffle_epi32(pixel, 0xFF);
    __m256d n = _mm256_mul_pd(_mm256_cvtepi32_pd(_mm_min_epi32(pixel, a)), _mm256_set1_pd(65535));
    n = _mm256_add_pd(n, _mm256_cvtepi32_pd(_mm_srli_epi32(a, 1)));
    __m128i color = _mm256_cvttpd_epi32(_mm256_div_pd(n, _mm256_cvtepi32_pd(a)));
    color = _mm_andnot_si128(_mm_cmpeq_epi32(a, _mm_setzero_si128()), color);
    color = _mm_blend_epi16(color, a, 0xC0);
    _mm_storel_epi64((__m128i *)(void *)(out + 8 * i), _mm_shuffle_epi8(color, order));
  }
}
#else
typedef int cpng_no_avx2;
#endif
