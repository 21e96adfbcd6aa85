#include "CPNG.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

// Every length is within the limit, and the code is complete: decoders refuse any other.
static const char *check_lengths(const uint8_t *lengths, const uint32_t *counts, unsigned symbols,
                                 unsigned limit) {
  uint64_t used = 0;
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    if (lengths[symbol] > limit) return failure("%u bits of %u", lengths[symbol], limit);
    if (lengths[symbol] == 0 && counts[symbol] != 0) return failure("no code for %u", symbol);
    if (lengths[symbol] != 0) used += 1ull << (15 - lengths[symbol]);
  }
  return used == 1u << 15 ? NULL : failure("incomplete code, limit %u", limit);
}

// The least bits that any code takes, by the plain form of Huffman's method.
static uint64_t least_bits(const uint32_t *counts, unsigned symbols) {
  uint64_t nodes[CPNG_ALPHABET_MAX], bits = 0;
  unsigned left = 0;
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    if (counts[symbol] != 0) nodes[left++] = counts[symbol];
  }
  while (left > 1) {
    for (unsigned pick = 0; pick < 2; pick++) {  // the two smallest to the end
      unsigned end = left - 1 - pick, smallest = 0;
      for (unsigned i = 1; i <= end; i++) {
        if (nodes[i] < nodes[smallest]) smallest = i;
      }
      uint64_t swap = nodes[end];
      nodes[end] = nodes[smallest];
      nodes[smallest] = swap;
    }
    left--;
    nodes[left - 1] += nodes[left];
    bits += nodes[left - 1];
  }
  return bits;
}

static const char *check_counts(const uint32_t *counts, unsigned symbols, unsigned limit,
                                bool shallow) {
  uint8_t lengths[CPNG_ALPHABET_MAX];
  cpng_huffman_lengths(counts, symbols, limit, lengths);
  const char *problem = check_lengths(lengths, counts, symbols, limit);
  if (problem != NULL || !shallow) return problem;
  uint64_t bits = 0, least = least_bits(counts, symbols);
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    bits += (uint64_t)counts[symbol] * lengths[symbol];
  unsigned used = 0;
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    used += counts[symbol] != 0;
  if (used >= 2 && bits != least)
    return failure("%u bits, best %u", (unsigned)bits, (unsigned)least);
  return NULL;
}

const char *cpng_check_huffman(void) {
  const char *problem = NULL;
  uint32_t counts[CPNG_ALPHABET_MAX];
  for (unsigned limit = 9; limit <= 15 && problem == NULL; limit++) {
    for (unsigned symbols = 0; symbols <= CPNG_LITERALS && problem == NULL; symbols++) {
      // Fibonacci's numbers, as far as a count may go, and then equal counts.
      uint32_t low = 1, high = 1;
      for (unsigned i = 0; i < CPNG_LITERALS; i++) {
        counts[i * 7 % CPNG_LITERALS] = i < symbols ? low : 0;
        if (high < 1u << 21) {
          uint32_t sum = low + high;
          low = high;
          high = sum;
        }
      }
      problem = check_counts(counts, CPNG_LITERALS, limit, false);
    }
  }
  uint64_t state = 3;
  for (unsigned round = 0; round < 300 && problem == NULL; round++) {
    memset(counts, 0, sizeof counts);
    unsigned symbols = 2 + next_random(&state) % (CPNG_LITERALS - 1);
    for (unsigned i = 0; i < symbols; i++)  // no code comes near 15 bits
      counts[i] = next_random(&state) % 4 == 0 ? 0 : 100 + next_random(&state) % 1000;
    problem = check_counts(counts, symbols, 15, true);
  }
  return problem;
}

// Random tokens, with the bytes that they spell.
static cpng_block make_block(size_t most, unsigned kind, uint64_t *state) {
  enum { LONGEST = UINT16_MAX };
  uint8_t *bytes = malloc(most + 400 + LONGEST + 64);
  cpng_sequence *sequences = malloc((most + 2) * sizeof *sequences);
  size_t count = 0, made = 0;
  while (count < most) {
    uint32_t literals = next_random(state) % (kind % 2 == 0 ? 400 : 6);
    if (count == 0) literals++;
    for (uint32_t i = 0; i < literals; i++)
      bytes[count + i] = (uint8_t)(next_random(state) & next_random(state) >> kind);
    count += literals;
    if (count >= most) {
      sequences[made++] = (cpng_sequence){literals, 0, 0};
      return (cpng_block){bytes, count, sequences, made};
    }
    uint32_t length = next_random(state) % 4 == 0 ? CPNG_MAX_MATCH - next_random(state) % 3
                                                  : 3 + next_random(state) % 256;
    // Long ones are written in pieces, of which the last ones must not be too short.
    if (next_random(state) % 16 == 0) length = CPNG_MAX_MATCH - 2 + next_random(state) % 300;
    if (next_random(state) % 64 == 0) length = LONGEST - next_random(state) % LONGEST / 2;
    uint32_t farthest = count < CPNG_WINDOW ? (uint32_t)count : CPNG_WINDOW;
    uint32_t distance = next_random(state) % 5 == 0 ? farthest : 1 + next_random(state) % farthest;
    for (uint32_t i = 0; i < length; i++)
      bytes[count + i] = bytes[count + i - distance];
    count += length;
    sequences[made++] = (cpng_sequence){literals, (uint16_t)length, (uint16_t)distance};
  }
  sequences[made++] = (cpng_sequence){0, 0, 0};
  return (cpng_block){bytes, count, sequences, made};
}

static void free_block(cpng_block block) {
  free((void *)(uintptr_t)block.bytes);
  free((void *)(uintptr_t)block.sequences);
}

// Writes a block with every kernel, and returns the bytes it took, or 0.
static const char *write_all(const cpng_block *block, const cpng_plan *plan, bool exact) {
  size_t room = block->count + block->count / 1000 + CPNG_EMIT_SLACK + 64;
  uint8_t *out = malloc(room), *back = malloc(block->count);
  const char *problem = NULL, *before = cpng_kernel()->name;
  uint64_t first = 0;
  for (const char *const *name = kernel_names(); *name != NULL && problem == NULL; name++) {
    cpng_select_kernel(*name);
    cpng_bits bits = {.next = out};
    cpng_write_block(&bits, plan, block, true);
    uint64_t count = 8 * (uint64_t)(bits.next - out) + bits.count;
    cpng_align(&bits);
    if (first == 0) first = count;
    if (count != first)
      problem = failure("%s: %u bits, scalar %u", *name, (unsigned)count, (unsigned)first);
    else if (exact && plan->form != CPNG_STORED && count != plan->bits)
      problem = failure("%u bits, planned %u", (unsigned)count, (unsigned)plan->bits);
    else if (exact && plan->form == CPNG_STORED && count > plan->bits)
      problem = failure("%u bits stored, planned %u", (unsigned)count, (unsigned)plan->bits);
    else if (!inflate_raw(out, (size_t)(bits.next - out), back, block->count) ||
             memcmp(back, block->bytes, block->count) != 0)
      problem = failure("%s: inflates to other bytes", *name);
  }
  cpng_select_kernel(before);
  free(out);
  free(back);
  return problem;
}

const char *cpng_check_blocks(void) {
  const char *problem = NULL;
  uint64_t state = 11;
  for (unsigned round = 0; round < 160 && problem == NULL; round++) {
    size_t most = round < 40 ? round : 1 + next_random(&state) % 200000;
    cpng_block block = make_block(most, round % 8, &state);
    cpng_counts counts;
    cpng_plan plan;
    cpng_count(&counts, &block);
    cpng_plan_block(&plan, &counts, block.count, 9 + round % 7);
    problem = write_all(&block, &plan, true);
    if (problem == NULL) {
      cpng_plan_grouped(&plan, &counts, block.count);
      problem = check_lengths(plan.literal_bits, counts.literals, CPNG_LITERALS, CPNG_MAX_BITS);
    }
    if (problem == NULL) problem = write_all(&block, &plan, true);
    free_block(block);
  }
  return problem;
}

const char *cpng_check_misjudged(void) {
  const char *problem = NULL;
  uint64_t state = 17;
  for (unsigned round = 0; round < 20 && problem == NULL; round++) {
    cpng_block block = make_block(50000 + 10000 * round, round % 8, &state);
    // Zeros look cheap and everything else dear, whatever the block holds.
    cpng_counts counts;
    cpng_plan plan;
    for (unsigned i = 0; i < CPNG_LITERALS; i++)
      counts.literals[i] = i == 0 ? 1 << 20 : 1;
    for (unsigned i = 0; i < CPNG_DISTANCES; i++)
      counts.distances[i] = 1;
    cpng_plan_block(&plan, &counts, SIZE_MAX, CPNG_MAX_BITS);
    problem = write_all(&block, &plan, false);
    cpng_plan_grouped(&plan, &counts, SIZE_MAX);
    if (problem == NULL) problem = write_all(&block, &plan, false);
    free_block(block);
  }
  return problem;
}
