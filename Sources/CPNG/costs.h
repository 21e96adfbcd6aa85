// What symbols are expected to cost, from how often they occurred: entropies instead of code
// lengths, so that nothing is lost to rounding. Integers only: every platform decides alike.
#ifndef CPNG_COSTS_H
#define CPNG_COSTS_H

#include "emit.h"

enum { CPNG_BIT = 32 };  // costs count in 32nds of a bit

// Costs of tokens with their extra bits.
typedef struct {
  uint16_t literal[256];
  uint16_t length[CPNG_MAX_MATCH + 1];  // by length, from 3
  uint16_t distance[CPNG_DISTANCES];    // by symbol
} cpng_costs;

// The binary logarithm of a positive number in 65536ths, to about a hundredth.
static inline uint32_t cpng_log2(uint32_t value) {
  unsigned whole = 31 - (unsigned)__builtin_clz(value);
  uint32_t part = value << (31 - whole) << 1 >> 16;
  return (whole << 16) + (uint32_t)((uint64_t)part * (88244 - (22708 * part >> 16)) >> 16);
}

// The index of a distance in cpng_costs.
static inline unsigned cpng_distance_index(unsigned distance) {
  return cpng_distance_symbol(distance).symbol;
}

// Halves counts and adds the latest ones, so that the far past fades.
void cpng_counts_fade(cpng_counts *counts, const cpng_counts *latest);

// Costs that suit most pictures, for the start.
void cpng_costs_guess(cpng_costs *costs);

// Costs from the counts of a part. Symbols that did not occur are taken to be rare, not impossible.
void cpng_costs_learn(cpng_costs *costs, const cpng_counts *counts);

// About how many bits a block with these counts takes with its header, without extra bits.
uint64_t cpng_counts_bits(const cpng_counts *counts);

#endif
