// Adler-32 with NEON. CRC-32 stays with zlib, which uses the processor's own instruction for it.
#include <zlib.h>

static uint32_t crc(uint32_t crc, const uint8_t *bytes, size_t count) {
  return (uint32_t)crc32_z(crc, bytes, count);
}

static uint32_t adler(uint32_t adler, const uint8_t *bytes, size_t count) {
  enum { BASE = 65521, MOST = 5536 };  // more bytes could overflow 32 bits between two remainders
  static const uint8_t weights[16] = {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  const vector weight = vld1q_u8(weights);
  uint32_t first = adler & 0xffff, second = adler >> 16;
  while (count >= 16) {
    size_t vectors = (count < MOST ? count : MOST) / 16;
    uint32x4_t sums = vdupq_n_u32(0), weighted = sums, before = sums;
    second += first * 16 * (uint32_t)vectors;
    for (size_t i = 0; i < vectors; i++, bytes += 16) {
      vector next = v_load(bytes);
      before = vaddq_u32(before, sums);  // each counts for 16 in every later vector
      sums = vpadalq_u16(sums, vpaddlq_u8(next));
      uint16x8_t products = vmull_u8(vget_low_u8(next), vget_low_u8(weight));
      weighted = vpadalq_u16(weighted, vmlal_high_u8(products, next, weight));
    }
    first = (first + vaddvq_u32(sums)) % BASE;
    second = (second + 16 * vaddvq_u32(before) + vaddvq_u32(weighted)) % BASE;
    count -= vectors * 16;
  }
  return (uint32_t)adler32_z(second << 16 | first, bytes, count);
}
