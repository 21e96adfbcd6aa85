#include "split.h"
#include "costs.h"

// A part is at least this many tokens: fewer say little about the statistics.
enum { PART_TOKENS = 8192 };

typedef struct {
  cpng_bits *bits;
  cpng_sequence *sequences;
  unsigned limit;
} writer;

// A place in the block: before the sequence `sequence`, `skipped` of its literals on.
typedef struct {
  size_t sequence;
  uint32_t skipped;
  const uint8_t *bytes;
} place;

// The place `PART_TOKENS` on, or the end of the block.
static place advanced(place from, const cpng_block *block) {
  size_t tokens = 0;
  place to = from;
  while (to.sequence < block->sequence_count) {
    cpng_sequence sequence = block->sequences[to.sequence];
    uint32_t literals = sequence.literals - to.skipped;
    if (tokens + literals > PART_TOKENS) {
      uint32_t taken = (uint32_t)(PART_TOKENS - tokens);
      to.skipped += taken;
      to.bytes += taken;
      return to;
    }
    tokens += literals + 1;
    to.bytes += literals + sequence.length;
    to.skipped = 0;
    to.sequence++;
    if (tokens >= PART_TOKENS) break;
  }
  return to;
}

// The part between two places as a block of its own: its first and last sequence are changed
// until `restore`.
typedef struct {
  cpng_block block;
  cpng_sequence *first, *last;
  cpng_sequence first_before, last_before;
} part;

static part take(cpng_sequence *sequences, size_t sequence_count, place from, place to) {
  part taken;
  taken.first = sequences + from.sequence;
  taken.first_before = *taken.first;
  taken.first->literals -= from.skipped;
  // The end needs a sequence without a match: the one that is cut, or the one behind the part,
  // which the next part takes up unchanged.
  bool whole = to.sequence == sequence_count;
  taken.last = sequences + (whole ? to.sequence - 1 : to.sequence);
  taken.last_before = *taken.last;
  if (!whole) {
    uint32_t skipped = taken.last == taken.first ? from.skipped : 0;
    *taken.last = (cpng_sequence){to.skipped - skipped, 0, 0};
  }
  taken.block = (cpng_block){from.bytes, (size_t)(to.bytes - from.bytes), taken.first,
                             (size_t)(taken.last - taken.first) + 1};
  return taken;
}

static void restore(part *taken) {
  *taken->last = taken->last_before;
  *taken->first = taken->first_before;
}

static void add(cpng_counts *sum, const cpng_counts *counts) {
  for (unsigned i = 0; i < CPNG_LITERALS; i++)
    sum->literals[i] += counts->literals[i];
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    sum->distances[i] += counts->distances[i];
  sum->literals[CPNG_END_OF_BLOCK] = 1;
}

static void write(const writer *writer, const cpng_block *block, place from, place to,
                  const cpng_counts *counts, bool final) {
  part taken = take(writer->sequences, block->sequence_count, from, to);
  cpng_plan plan;
  cpng_plan_block(&plan, counts, taken.block.count, writer->limit);
  cpng_write_block(writer->bits, &plan, &taken.block, final);
  restore(&taken);
}

void cpng_write_split(cpng_bits *bits, const cpng_block *block, cpng_sequence *sequences,
                      unsigned limit, bool final) {
  writer writer = {bits, sequences, limit};
  place start = {0, 0, block->bytes}, end = start;
  cpng_counts counts = {{0}, {0}};
  uint64_t cost = 0;
  while (end.sequence < block->sequence_count) {
    place next = advanced(end, block);
    part taken = take(sequences, block->sequence_count, end, next);
    cpng_counts fresh, both = counts;
    cpng_count(&fresh, &taken.block);
    restore(&taken);
    add(&both, &fresh);
    uint64_t fresh_cost = cpng_counts_bits(&fresh), both_cost = cpng_counts_bits(&both);
    if (start.bytes != end.bytes && cost + fresh_cost < both_cost) {
      write(&writer, block, start, end, &counts, false);
      start = end;
      counts = fresh;
      cost = fresh_cost;
    } else {
      counts = both;
      cost = both_cost;
    }
    end = next;
  }
  write(&writer, block, start, end, &counts, final);
}
