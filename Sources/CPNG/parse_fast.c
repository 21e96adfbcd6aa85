// The levels `.fastest` and `.fast`.
#include "drawn.h"
#include "grouped.h"
#include "kernel.h"

// Filters all rows to strip->filtered. A filter is chosen for `period` rows at a time, from a
// quarter of the first one's bytes.
static void filter_rows(cpng_strip *strip, uint32_t period) {
  enum { STEP = 4 };
  uint8_t *out = strip->filtered;
  cpng_filter filter = CPNG_UP;
  uint32_t chosen = 0;  // rows that still take the filter
  for (uint32_t row = 0; row < strip->row_count; row++, out += strip->row_bytes) {
    const uint8_t *here = cpng_strip_row(strip, row), *above = cpng_strip_above(strip, row);
    if (memcmp(here, above, strip->row_bytes) == 0) {
      *out++ = CPNG_UP;
      memset(out, 0, strip->row_bytes);
      continue;
    }
    if (chosen-- == 0) {
      filter = cpng_choose_filter(here, above, strip->row_bytes, strip->unit, STEP);
      chosen = period - 1;
    }
    *out++ = (uint8_t)filter;
    cpng_filter_row(filter, out, here, above, strip->row_bytes, strip->unit);
  }
}

static void copy_rows(cpng_strip *strip) {
  uint8_t *out = strip->filtered;
  for (uint32_t row = 0; row < strip->row_count; row++, out += strip->row_bytes) {
    *out++ = CPNG_NONE;
    memcpy(out, cpng_strip_row(strip, row), strip->row_bytes);
  }
}

// Spells a block with runs, as filtered rows mostly have them, and plans it from a sample.
static bool plan_runs(cpng_strip *strip, cpng_block *block, cpng_sequence *sequences,
                      cpng_shortest_run shortest, cpng_plan *plan) {
  cpng_counts counts;
  if (!cpng_spell_with_runs(strip->scratch, block, sequences, shortest)) return false;
  cpng_count_sample(&counts, block);
  cpng_plan_grouped(plan, &counts, block->count);
  return true;
}

static void plan_repeats(const cpng_strip *strip, cpng_block *block, cpng_sequence *sequences,
                         cpng_plan *plan) {
  cpng_counts counts;
  cpng_spell_with_repeats(block, sequences, strip->unit, strip->row_bytes + 1);
  cpng_count(&counts, block);
  cpng_plan_block(plan, &counts, block->count, CPNG_MAX_BITS);
}

// What a level does.
typedef struct {
  unsigned drawn, indexed;     // sixteenths of the bits that repeats may take, as they take longer
  uint32_t period;             // rows that share a filter
  cpng_shortest_run shortest;  // runs in filtered rows
} effort;

static bool encode(cpng_strip *strip, cpng_bits *bits, const effort *effort) {
  size_t most = strip->filtered_count < CPNG_BLOCK_MAX ? strip->filtered_count : CPNG_BLOCK_MAX;
  cpng_sequence *sequences = cpng_area_reserve(
      &strip->scratch->sequences, (most / CPNG_SHORTEST_REPEAT + 1) * sizeof *sequences);
  if (sequences == NULL) return false;
  unsigned most_bits = strip->prefer_plain ? effort->indexed : effort->drawn;
  bool drawn = cpng_is_drawn(strip, sequences, most_bits);
  if (drawn)
    copy_rows(strip);
  else
    filter_rows(strip, effort->period);
  for (size_t at = 0; at < strip->filtered_count;) {
    size_t left = strip->filtered_count - at;
    cpng_block block = {strip->filtered + at, left < CPNG_BLOCK_MAX ? left : CPNG_BLOCK_MAX,
                        sequences, 0};
    at += block.count;
    cpng_plan plan;
    if (drawn)
      plan_repeats(strip, &block, sequences, &plan);
    else if (!plan_runs(strip, &block, sequences, effort->shortest, &plan))
      return false;
    cpng_write_block(bits, &plan, &block, strip->last && at == strip->filtered_count);
  }
  return true;
}

bool cpng_encode_fastest(cpng_strip *strip, cpng_bits *bits) {
  static const effort fastest = {10, 10, 8, CPNG_RUNS_OF_32};
  return encode(strip, bits, &fastest);
}

bool cpng_encode_fast(cpng_strip *strip, cpng_bits *bits) {
  static const effort fast = {14, 16, 1, CPNG_RUNS_OF_16};
  return encode(strip, bits, &fast);
}
