#include "huffman.h"
#include <string.h>

// A symbol and its count in one word, so that both are sorted together.
enum { SYMBOL_BITS = 9, SYMBOL_MASK = (1 << SYMBOL_BITS) - 1 };

// Sorts by the bits above the symbol, 8 at a time, as many as the largest count has.
static uint32_t *sorted(uint32_t *items, uint32_t *other, unsigned count, uint32_t largest) {
  for (unsigned shift = SYMBOL_BITS; shift < 32 && largest >> shift != 0; shift += 8) {
    uint16_t starts[256] = {0};
    for (unsigned i = 0; i < count; i++)
      starts[items[i] >> shift & 255]++;
    unsigned start = 0;
    for (unsigned digit = 0; digit < 256; digit++) {
      unsigned size = starts[digit];
      starts[digit] = (uint16_t)start;
      start += size;
    }
    for (unsigned i = 0; i < count; i++)
      other[starts[items[i] >> shift & 255]++] = items[i];
    uint32_t *swap = items;
    items = other;
    other = swap;
  }
  return items;
}

// Moffat and Katajainen's method: `weights` rise, and are replaced by code lengths, which fall.
static void code_lengths(uint32_t *weights, unsigned count) {
  unsigned leaf = 0, root = 0;
  for (unsigned next = 0; next + 1 < count; next++) {
    uint32_t sum = 0;
    for (int child = 0; child < 2; child++) {
      if (leaf >= count || (root < next && weights[root] < weights[leaf])) {
        sum += weights[root];
        weights[root++] = next;  // a node that has a parent remembers it in place of its weight
      } else {
        sum += weights[leaf++];
      }
    }
    weights[next] = sum;
  }
  // Parents to depths of the inner nodes, from the root down.
  weights[count - 2] = 0;
  for (unsigned node = count - 2; node-- > 0;)
    weights[node] = weights[weights[node]] + 1;
  // Depths of inner nodes to depths of leaves: what a level has left over after its inner nodes.
  unsigned available = 1, depth = 0, next = count;
  int inner = (int)count - 2;
  while (available > 0) {
    unsigned used = 0;
    while (inner >= 0 && weights[inner] == depth) {
      used++;
      inner--;
    }
    for (; available > used; available--)
      weights[--next] = depth;
    available = 2 * used;
    depth++;
  }
}

// Shortens codes above the limit, then pays for that by lengthening the cheapest others until the
// code is complete again.
static void limit_lengths(uint16_t *per_length, unsigned limit, unsigned longest) {
  if (longest <= limit) return;
  for (unsigned length = limit + 1; length <= longest; length++)
    per_length[limit] += per_length[length];
  uint32_t total = 0;
  for (unsigned length = 1; length <= limit; length++)
    total += (uint32_t)per_length[length] << (limit - length);
  for (; total != 1u << limit; total--) {
    per_length[limit]--;
    unsigned length = limit - 1;
    while (per_length[length] == 0)
      length--;
    per_length[length]--;
    per_length[length + 1] += 2;
  }
}

void cpng_huffman_lengths(const uint32_t *counts, unsigned symbols, unsigned limit,
                          uint8_t *lengths) {
  uint32_t first[CPNG_ALPHABET_MAX], second[CPNG_ALPHABET_MAX], weights[CPNG_ALPHABET_MAX];
  unsigned used = 0, shift = 0;
  uint32_t largest = 0;
  memset(lengths, 0, symbols);
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    largest |= counts[symbol];
  while (largest >> shift >> (32 - SYMBOL_BITS) != 0)
    shift++;
  largest = 0;
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    uint32_t count = counts[symbol] >> shift;
    if (count == 0) count = counts[symbol] != 0;
    uint32_t item = count << SYMBOL_BITS | symbol;
    first[used] = item;
    used += counts[symbol] != 0;
    if (item > largest) largest = item;
  }
  for (unsigned symbol = 0; used < 2; symbol++) {
    if (counts[symbol] == 0) first[used++] = 1 << SYMBOL_BITS | symbol;
    if (largest < 2 << SYMBOL_BITS) largest = 2 << SYMBOL_BITS;
  }
  const uint32_t *items = sorted(first, second, used, largest);
  for (unsigned i = 0; i < used; i++)
    weights[i] = items[i] >> SYMBOL_BITS;
  code_lengths(weights, used);
  unsigned longest = weights[0];
  if (longest > limit) {
    uint16_t per_length[CPNG_ALPHABET_MAX] = {0};
    for (unsigned i = 0; i < used; i++)
      per_length[weights[i]]++;
    limit_lengths(per_length, limit, longest);
    unsigned next = 0;
    for (unsigned length = limit; length > 0; length--) {
      for (unsigned i = 0; i < per_length[length]; i++)
        weights[next++] = length;
    }
  }
  for (unsigned i = 0; i < used; i++)
    lengths[items[i] & SYMBOL_MASK] = (uint8_t)weights[i];
}

static uint16_t reversed(unsigned code, unsigned length) {
  code = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
  code = (code & 0x3333) << 2 | (code >> 2 & 0x3333);
  code = (code & 0x0f0f) << 4 | (code >> 4 & 0x0f0f);
  code = (code & 0x00ff) << 8 | (code >> 8 & 0x00ff);
  return (uint16_t)(code >> (16 - length));
}

void cpng_huffman_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes) {
  uint16_t per_length[16] = {0}, next[16];
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    per_length[lengths[symbol]]++;
  per_length[0] = 0;
  unsigned code = 0;
  for (unsigned length = 1; length < 16; length++) {
    code = (code + per_length[length - 1]) << 1;
    next[length] = (uint16_t)code;
  }
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    unsigned length = lengths[symbol];
    codes[symbol] = length == 0 ? 0 : reversed(next[length]++, length);
  }
}
