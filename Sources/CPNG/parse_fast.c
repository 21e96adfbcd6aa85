// The levels `.fastest` and `.fast`.
#include "grouped.h"
#include "kernel.h"
#include "runs.h"
#include "strip_internal.h"

static cpng_filter least(const uint64_t costs[5]) {
  unsigned best = CPNG_SUB;
  for (unsigned filter = CPNG_UP; filter <= CPNG_PAETH; filter++) {
    if (costs[filter] < costs[best]) best = filter;
  }
  return (cpng_filter)best;
}

// Chooses a filter for so many rows at a time, from a quarter of the first one's bytes.
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
      uint64_t costs[5];
      cpng_filter_costs(costs, here, above, strip->row_bytes, strip->unit, STEP);
      filter = least(costs);
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

static bool write_blocks(cpng_strip *strip, cpng_bits *bits, bool thorough) {
  size_t most = strip->filtered_count < CPNG_BLOCK_MAX ? strip->filtered_count : CPNG_BLOCK_MAX;
  cpng_sequence *sequences = cpng_area_reserve(
      &strip->scratch->sequences, (most / CPNG_SHORTEST_REPEAT + 1) * sizeof *sequences);
  if (sequences == NULL) return false;
  uint32_t heads[1 << CPNG_REPEAT_BITS];
  for (size_t at = 0; at < strip->filtered_count;) {
    size_t left = strip->filtered_count - at;
    cpng_block block = {strip->filtered + at, left < CPNG_BLOCK_MAX ? left : CPNG_BLOCK_MAX,
                        sequences, 0};
    at += block.count;
    cpng_counts counts;
    cpng_plan plan;
    if (strip->prefer_plain) {
      block.sequence_count =
          cpng_kernel()->find_repeats(sequences, heads, block.bytes, block.count, thorough);
      cpng_count(&counts, &block);
      cpng_plan_block(&plan, &counts, block.count, CPNG_MAX_BITS);
    } else {
      if (!cpng_spell_with_runs(strip->scratch, &block, sequences)) return false;
      cpng_count_sample(&counts, &block);
      cpng_plan_grouped(&plan, &counts, block.count);
    }
    cpng_write_block(bits, &plan, &block, strip->last && at == strip->filtered_count);
  }
  return true;
}

bool cpng_encode_fastest(cpng_strip *strip, cpng_bits *bits) {
  if (strip->prefer_plain)
    copy_rows(strip);
  else
    filter_rows(strip, 4);
  return write_blocks(strip, bits, false);
}

// Whether a gray strip is drawn rather than photographed: most bytes of its rows equal the one
// before. Then the shapes of letters repeat, which filters would hide.
static bool is_drawn(const cpng_strip *strip) {
  enum { ROWS = 8 };
  size_t equal = 0, seen = 0;
  if (strip->unit != 1) return false;
  for (uint32_t i = 0; i < ROWS; i++) {
    const uint8_t *row =
        cpng_strip_row(strip, (uint32_t)((uint64_t)strip->row_count * (2 * i + 1) / (2 * ROWS)));
    for (size_t at = 1; at < strip->row_bytes; at++)
      equal += row[at] == row[at - 1];
    seen += strip->row_bytes;
  }
  return equal * 4 > seen * 3;
}

bool cpng_encode_fast(cpng_strip *strip, cpng_bits *bits) {
  if (is_drawn(strip)) strip->prefer_plain = true;
  if (strip->prefer_plain)
    copy_rows(strip);
  else
    filter_rows(strip, 1);
  return write_blocks(strip, bits, true);
}
