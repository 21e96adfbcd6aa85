#include "convert.h"
#include "CPNG.h"
#include <string.h>

// A multiplier for each alpha, so that n / a == n * reciprocals[a] >> 31 for n below 2^16: the
// excess of the multiplier is less than a / 2^31, and n * a stays below 2^31.
#define M(a) (uint32_t)((a) == 0 ? 0 : ((1ull << 31) + (a)-1) / ((a) + ((a) == 0)))
#define M4(a) M(a), M(a + 1), M(a + 2), M(a + 3)
#define M16(a) M4(a), M4(a + 4), M4(a + 8), M4(a + 12)
#define M64(a) M16(a), M16(a + 16), M16(a + 32), M16(a + 48)
static const uint32_t reciprocals[256] = {M64(0), M64(64), M64(128), M64(192)};

// The colour that was multiplied by alpha, rounded half up: floor((255 c + a / 2) / a). A colour
// above its alpha is no premultiplied colour; it becomes white. Without alpha there is no colour.
static inline uint8_t straight8(unsigned c, unsigned a) {
  unsigned n = 255 * (c < a ? c : a) + a / 2;
  return (uint8_t)((uint64_t)n * reciprocals[a] >> 31);
}

static inline uint16_t straight16(uint32_t c, uint32_t a) {
  if (a == 0) return 0;
  return (uint16_t)((65535 * (c < a ? c : a) + a / 2) / a);
}

static inline void swap16(uint8_t *restrict out, const uint8_t *restrict in, size_t samples) {
  for (size_t i = 0; i < samples; i++) {
    uint8_t low = in[2 * i], high = in[2 * i + 1];
    out[2 * i] = high;
    out[2 * i + 1] = low;
  }
}

#define SWAP16(channels)                                                                           \
  void cpng_swap_##channels##x16(const void *context, uint8_t *restrict out,                       \
                                 const uint8_t *restrict in, size_t width) {                       \
    (void)context;                                                                                 \
    swap16(out, in, channels *width);                                                              \
  }
SWAP16(1)
SWAP16(2)
SWAP16(3)
SWAP16(4)

// Four bytes a pixel in, R, G, B and A being where they lie.
#define TO_RGBA(name, R, G, B, A)                                                                  \
  void cpng_##name##_to_rgba(const void *context, uint8_t *restrict out,                           \
                             const uint8_t *restrict in, size_t width) {                           \
    (void)context;                                                                                 \
    for (size_t i = 0; i < width; i++) {                                                           \
      uint8_t r = in[4 * i + R], g = in[4 * i + G], b = in[4 * i + B], a = in[4 * i + A];          \
      out[4 * i] = r, out[4 * i + 1] = g, out[4 * i + 2] = b, out[4 * i + 3] = a;                  \
    }                                                                                              \
  }                                                                                                \
  STRAIGHT_RGBA(name, R, G, B, A)

#define STRAIGHT_RGBA(name, R, G, B, A)                                                            \
  void cpng_straight_##name(const void *context, uint8_t *restrict out,                            \
                            const uint8_t *restrict in, size_t width) {                            \
    (void)context;                                                                                 \
    for (size_t i = 0; i < width; i++) {                                                           \
      unsigned a = in[4 * i + A];                                                                  \
      out[4 * i] = straight8(in[4 * i + R], a);                                                    \
      out[4 * i + 1] = straight8(in[4 * i + G], a);                                                \
      out[4 * i + 2] = straight8(in[4 * i + B], a);                                                \
      out[4 * i + 3] = (uint8_t)a;                                                                 \
    }                                                                                              \
  }
TO_RGBA(bgra, 2, 1, 0, 3)
TO_RGBA(argb, 1, 2, 3, 0)
TO_RGBA(abgr, 3, 2, 1, 0)
STRAIGHT_RGBA(rgba, 0, 1, 2, 3)

#define TO_RGB(name, R, G, B)                                                                      \
  void cpng_##name##_to_rgb(const void *context, uint8_t *restrict out,                            \
                            const uint8_t *restrict in, size_t width) {                            \
    (void)context;                                                                                 \
    for (size_t i = 0; i < width; i++) {                                                           \
      out[3 * i] = in[4 * i + R], out[3 * i + 1] = in[4 * i + G], out[3 * i + 2] = in[4 * i + B];  \
    }                                                                                              \
  }
TO_RGB(bgrx, 2, 1, 0)
TO_RGB(rgbx, 0, 1, 2)

void cpng_straight_graya(const void *context, uint8_t *restrict out, const uint8_t *restrict in,
                         size_t width) {
  (void)context;
  for (size_t i = 0; i < width; i++) {
    out[2 * i] = straight8(in[2 * i], in[2 * i + 1]);
    out[2 * i + 1] = in[2 * i + 1];
  }
}

static inline uint16_t load16(const uint8_t *in) {
  uint16_t sample;
  memcpy(&sample, in, 2);
  return sample;
}

static inline void store16(uint8_t *out, uint16_t sample) {
  out[0] = (uint8_t)(sample >> 8);
  out[1] = (uint8_t)sample;
}

void cpng_straight_graya16(const void *context, uint8_t *restrict out, const uint8_t *restrict in,
                           size_t width) {
  (void)context;
  for (size_t i = 0; i < width; i++) {
    uint16_t a = load16(in + 4 * i + 2);
    store16(out + 4 * i, straight16(load16(in + 4 * i), a));
    store16(out + 4 * i + 2, a);
  }
}

void cpng_straight_rgba16(const void *context, uint8_t *restrict out, const uint8_t *restrict in,
                          size_t width) {
  (void)context;
  for (size_t i = 0; i < width; i++) {
    uint16_t a = load16(in + 8 * i + 6);
    for (size_t c = 0; c < 6; c += 2)
      store16(out + 8 * i + c, straight16(load16(in + 8 * i + c), a));
    store16(out + 8 * i + 6, a);
  }
}

// Whether the selected kernel is one of those that imply AVX2.
static bool has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && strcmp(cpng_kernel_name(), "scalar") != 0;
#else
  return false;
#endif
}

#if defined(__x86_64__)
#define PICK(name) (avx2 ? name##_avx2 : name)
#else
#define PICK(name) ((void)avx2, name)
#endif

// NULL for a big-endian machine, whose samples lie as PNG wants them.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SWAPPED(name) NULL
#else
#define SWAPPED(name) PICK(name)
#endif

cpng_convert_row *cpng_find_converter(cpng_format format, bool premultiplied, bool portable) {
  bool avx2 = !portable && has_avx2();
  switch (format) {
  case CPNG_GRAY1:
  case CPNG_GRAY2:
  case CPNG_GRAY4:
  case CPNG_GRAY8:
  case CPNG_RGB8:
  case CPNG_INDEX1:
  case CPNG_INDEX2:
  case CPNG_INDEX4:
  case CPNG_INDEX8:
    return NULL;
  case CPNG_GRAY16:
    return SWAPPED(cpng_swap_1x16);
  case CPNG_RGB16:
    return SWAPPED(cpng_swap_3x16);
  case CPNG_GRAYA8:
    return premultiplied ? cpng_straight_graya : NULL;
  case CPNG_GRAYA16:
    return premultiplied ? cpng_straight_graya16 : SWAPPED(cpng_swap_2x16);
  case CPNG_RGBA8:
    return premultiplied ? PICK(cpng_straight_rgba) : NULL;
  case CPNG_RGBA16:
    return premultiplied ? PICK(cpng_straight_rgba16) : SWAPPED(cpng_swap_4x16);
  case CPNG_BGRA8:
    return premultiplied ? PICK(cpng_straight_bgra) : PICK(cpng_bgra_to_rgba);
  case CPNG_ARGB8:
    return premultiplied ? PICK(cpng_straight_argb) : PICK(cpng_argb_to_rgba);
  case CPNG_ABGR8:
    return premultiplied ? PICK(cpng_straight_abgr) : PICK(cpng_abgr_to_rgba);
  case CPNG_BGRX8:
    return PICK(cpng_bgrx_to_rgb);
  case CPNG_RGBX8:
    return PICK(cpng_rgbx_to_rgb);
  }
  return NULL;
}
