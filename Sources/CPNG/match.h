// Finds earlier copies of what comes next: hash chains over deflate's window.
#ifndef CPNG_MATCH_H
#define CPNG_MATCH_H

#include "bits.h"
#include "deflate.h"
#include "tokens.h"
#include <stddef.h>

enum { CPNG_HASH_BITS = 15 };

// Positions count on from strip to strip, so that what an earlier strip left is out of reach
// without clearing the tables. All zeros is a matcher that has seen nothing.
typedef struct {
  uint32_t base;                        // the position of the first byte
  uint32_t end;                         // and the one behind the last byte
  uint32_t rounds;                      // how often positions began again at 0
  uint32_t heads[1 << CPNG_HASH_BITS];  // the last position with each hash
  uint16_t steps[CPNG_WINDOW];  // from a position back to the one before with its hash, or 0
} cpng_matcher;

// Begins `count` bytes that have nothing to do with those before.
void cpng_matcher_begin(cpng_matcher *matcher, size_t count);

static inline uint32_t cpng_load32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

// Of the first 8 - skipped / 8 bytes, so 32 makes it a hash of four.
static inline uint32_t cpng_hash(const uint8_t *at, unsigned skipped) {
  return (uint32_t)((cpng_load64(at) << skipped) * 0x9e3779b97f4a7c15u >> (64 - CPNG_HASH_BITS));
}

// Records the byte at index `at`, whose hash is given, and returns how far back the one before
// with its hash is, or 0.
static inline uint32_t cpng_matcher_insert(cpng_matcher *matcher, size_t at, uint32_t hash) {
  uint32_t position = matcher->base + (uint32_t)at;
  uint32_t step = position - matcher->heads[hash];
  if (step > CPNG_WINDOW) step = 0;
  matcher->heads[hash] = position;
  matcher->steps[position % CPNG_WINDOW] = (uint16_t)step;
  return step;
}

// From the byte `distance` before the one at index `at`, the step to the next one back, or 0.
static inline uint32_t cpng_matcher_step(const cpng_matcher *matcher, size_t at,
                                         uint32_t distance) {
  return matcher->steps[(matcher->base + (uint32_t)at - distance) % CPNG_WINDOW];
}

// How many bytes from `a` on are equal to those from `b` on, at most `limit`.
static inline size_t cpng_match_length(const uint8_t *a, const uint8_t *b, size_t limit) {
  size_t length = 0;
  for (; length + 32 <= limit; length += 32) {
    uint64_t difference = (cpng_load64(a + length) ^ cpng_load64(b + length)) |
                          (cpng_load64(a + length + 8) ^ cpng_load64(b + length + 8)) |
                          (cpng_load64(a + length + 16) ^ cpng_load64(b + length + 16)) |
                          (cpng_load64(a + length + 24) ^ cpng_load64(b + length + 24));
    if (difference != 0) break;
  }
  for (; length + 8 <= limit; length += 8) {
    uint64_t difference = cpng_load64(a + length) ^ cpng_load64(b + length);
    if (difference != 0) return length + ((size_t)__builtin_ctzll(difference) >> 3);
  }
  while (length < limit && a[length] == b[length])
    length++;
  return length;
}

#endif
