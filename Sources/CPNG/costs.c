#include "costs.h"

static void spread(cpng_costs *costs, const uint16_t *lengths, const uint16_t *distances) {
  for (unsigned length = CPNG_MIN_MATCH; length <= CPNG_MAX_MATCH; length++) {
    cpng_symbol symbol = cpng_length_symbol(length);
    costs->length[length] =
        (uint16_t)(lengths[symbol.symbol - CPNG_END_OF_BLOCK - 1] + symbol.extra_count * CPNG_BIT);
  }
  for (unsigned symbol = 0; symbol < CPNG_DISTANCES; symbol++)
    costs->distance[symbol] =
        (uint16_t)(distances[symbol] + cpng_distance_extra(symbol) * CPNG_BIT);
}

void cpng_costs_guess(cpng_costs *costs) {
  uint16_t lengths[29], distances[CPNG_DISTANCES];
  for (unsigned i = 0; i < 256; i++)
    costs->literal[i] = 7 * CPNG_BIT;
  for (unsigned i = 0; i < 29; i++)
    lengths[i] = (i < 8 ? 5 : 7) * CPNG_BIT;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    distances[i] = 5 * CPNG_BIT;
  spread(costs, lengths, distances);
}

void cpng_counts_fade(cpng_counts *counts, const cpng_counts *latest) {
  for (unsigned i = 0; i < CPNG_LITERALS; i++)
    counts->literals[i] = counts->literals[i] / 2 + latest->literals[i];
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    counts->distances[i] = counts->distances[i] / 2 + latest->distances[i];
}

enum { DEAREST = 14 * CPNG_BIT };

static uint16_t cost(uint32_t count, uint32_t log2_total) {
  uint32_t bits = (log2_total - cpng_log2(count)) * CPNG_BIT >> 16;
  if (bits < CPNG_BIT) return CPNG_BIT;  // no Huffman code is shorter
  return (uint16_t)(bits < DEAREST ? bits : DEAREST);
}

void cpng_costs_learn(cpng_costs *costs, const cpng_counts *counts) {
  // Some of each symbol are added, so that few tokens don't decide too much. Short lengths are
  // likelier than long ones.
  uint16_t lengths[29], distances[CPNG_DISTANCES];
  uint32_t total = 256 + 8 * 4 + 21 * 2;
  for (unsigned i = 0; i < CPNG_LITERALS; i++)
    total += counts->literals[i];
  uint32_t log2_total = cpng_log2(total);
  for (unsigned i = 0; i < 256; i++)
    costs->literal[i] = cost(counts->literals[i] + 1, log2_total);
  for (unsigned i = 0; i < 29; i++)
    lengths[i] = cost(counts->literals[CPNG_END_OF_BLOCK + 1 + i] + (i < 8 ? 4 : 2), log2_total);
  total = CPNG_DISTANCES * 2;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    total += counts->distances[i];
  log2_total = cpng_log2(total);
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    distances[i] = cost(counts->distances[i] + 2, log2_total);
  spread(costs, lengths, distances);
}

// The entropy of an alphabet in 65536ths of a bit, and what the header says about its lengths.
static uint64_t alphabet(const uint32_t *counts, unsigned symbols) {
  uint64_t sum = 0;
  uint32_t total = 0, used = 0;
  for (unsigned i = 0; i < symbols; i++) {
    if (counts[i] == 0) continue;
    sum += (uint64_t)counts[i] * cpng_log2(counts[i]);
    total += counts[i];
    used++;
  }
  if (total == 0) return 0;
  return (uint64_t)total * cpng_log2(total) - sum + ((uint64_t)used * 4 << 16);
}

uint64_t cpng_counts_bits(const cpng_counts *counts) {
  uint64_t bits = alphabet(counts->literals, CPNG_LITERALS);
  bits += alphabet(counts->distances, CPNG_DISTANCES);
  return (bits >> 16) + 80;
}
