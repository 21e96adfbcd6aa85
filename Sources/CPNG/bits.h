// Writes deflate's bit stream: the first bit is the lowest bit of the first byte.
#ifndef CPNG_BITS_H
#define CPNG_BITS_H

#include <stdint.h>
#include <string.h>

// Up to 7 bits wait in `pending` between two calls. A put stores 8 bytes at `next`, so the output
// needs 8 bytes of room behind the last byte that counts.
typedef struct {
  uint8_t *next;
  uint64_t pending;
  unsigned count;
} cpng_bits;

static inline uint64_t cpng_load64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static inline void cpng_store64(uint8_t *at, uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  memcpy(at, &value, sizeof value);
}

// Appends the low `count` bits of `value`: at most 56, and the bits above them are zero.
static inline void cpng_put(cpng_bits *bits, uint64_t value, unsigned count) {
  bits->pending |= value << bits->count;
  bits->count += count;
  cpng_store64(bits->next, bits->pending);
  bits->next += bits->count >> 3;
  bits->pending >>= bits->count & 56;
  bits->count &= 7;
}

// Fills the last byte up with zeros.
static inline void cpng_align(cpng_bits *bits) { cpng_put(bits, 0, -bits->count & 7); }

#endif
