// The constants of RFC 1951, computed rather than looked up.
#ifndef CPNG_DEFLATE_H
#define CPNG_DEFLATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  CPNG_LITERALS = 286,  // literals, end of block and match lengths
  CPNG_DISTANCES = 30,
  CPNG_END_OF_BLOCK = 256,
  CPNG_MIN_MATCH = 3,
  CPNG_MAX_MATCH = 258,
  CPNG_WINDOW = 32768,
  CPNG_MAX_BITS = 15,  // the longest code deflate allows
  CPNG_STORED_MAX = 65535,
};

// A match of 3 bytes or more as deflate can say it: so many of the longest, then one or two more.
typedef struct {
  unsigned whole, rest, last;  // `last` is 0 if there is none
} cpng_pieces;

static inline cpng_pieces cpng_cut_match(unsigned length) {
  unsigned whole = (length - CPNG_MIN_MATCH) / CPNG_MAX_MATCH;
  unsigned rest = length - whole * CPNG_MAX_MATCH;
  unsigned last = rest > CPNG_MAX_MATCH ? CPNG_MIN_MATCH : 0;
  return (cpng_pieces){whole, rest - last, last};
}

// A length or distance as a symbol, and the bits that follow it.
typedef struct {
  uint16_t symbol;
  uint8_t extra_count;
  uint16_t extra;
} cpng_symbol;

// Without branches, as lengths and distances can't be predicted.
static inline cpng_symbol cpng_length_symbol(unsigned length) {
  unsigned value = length - CPNG_MIN_MATCH, extra = 29 - (unsigned)__builtin_clz(value | 4);
  unsigned symbol = 257 + 4 * extra + (value >> extra), mask = (1u << extra) - 1;
  bool longest = length == CPNG_MAX_MATCH;  // has a symbol to itself
  return (cpng_symbol){(uint16_t)(longest ? 285 : symbol), (uint8_t)(longest ? 0 : extra),
                       (uint16_t)(longest ? 0 : value & mask)};
}

static inline cpng_symbol cpng_distance_symbol(unsigned distance) {
  unsigned value = distance - 1, extra = 30 - (unsigned)__builtin_clz(value | 2);
  return (cpng_symbol){(uint16_t)(2 * extra + (value >> extra)), (uint8_t)extra,
                       (uint16_t)(value & ((1u << extra) - 1))};
}

// The number of extra bits of a symbol.
static inline unsigned cpng_length_extra(unsigned symbol) {
  return symbol < 265 || symbol == 285 ? 0 : (symbol - 261) / 4;
}

static inline unsigned cpng_distance_extra(unsigned symbol) {
  return symbol < 4 ? 0 : symbol / 2 - 1;
}

#endif
