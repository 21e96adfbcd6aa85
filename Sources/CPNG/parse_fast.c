// The levels `.fastest` and `.fast`.
#include "grouped.h"
#include "kernel.h"
#include "runs.h"
#include "strip_internal.h"

static unsigned least(const uint64_t costs[5]) {
  unsigned best = CPNG_SUB;
  for (unsigned filter = CPNG_UP; filter <= CPNG_PAETH; filter++) {
    if (costs[filter] < costs[best]) best = filter;
  }
  return best;
}

// Looks at a quarter of every row.
static void filter_by_row(cpng_strip *strip) {
  enum { STEP = 4 };
  uint8_t *out = strip->filtered;
  for (uint32_t row = 0; row < strip->row_count; row++, out += strip->row_bytes) {
    const uint8_t *here = cpng_strip_row(strip, row), *above = cpng_strip_above(strip, row);
    if (memcmp(here, above, strip->row_bytes) == 0) {
      *out++ = CPNG_UP;
      memset(out, 0, strip->row_bytes);
      continue;
    }
    uint64_t costs[5];
    cpng_filter_costs(costs, here, above, strip->row_bytes, strip->unit, STEP);
    unsigned filter = least(costs);
    *out++ = (uint8_t)filter;
    cpng_filter_row((cpng_filter)filter, out, here, above, strip->row_bytes, strip->unit);
  }
}

static void copy_rows(cpng_strip *strip) {
  uint8_t *out = strip->filtered;
  for (uint32_t row = 0; row < strip->row_count; row++, out += strip->row_bytes) {
    *out++ = CPNG_NONE;
    memcpy(out, cpng_strip_row(strip, row), strip->row_bytes);
  }
}

bool cpng_encode_fast(cpng_strip *strip, cpng_bits *bits) {
  if (strip->prefer_plain)
    copy_rows(strip);
  else
    filter_by_row(strip);
  size_t most = strip->filtered_count < CPNG_BLOCK_MAX ? strip->filtered_count : CPNG_BLOCK_MAX;
  cpng_sequence *sequences = cpng_area_reserve(&strip->scratch->sequences,
                                               (most / CPNG_SHORTEST_RUN + 1) * sizeof *sequences);
  uint32_t anchors[1 << CPNG_ANCHOR_BITS];
  if (sequences == NULL) return false;
  for (size_t at = 0; at < strip->filtered_count;) {
    size_t left = strip->filtered_count - at;
    cpng_block block = {strip->filtered + at, left < CPNG_BLOCK_MAX ? left : CPNG_BLOCK_MAX,
                        sequences, 0};
    block.sequence_count = cpng_kernel()->find_runs(sequences, anchors, block.bytes, block.count);
    at += block.count;
    cpng_counts counts;
    cpng_plan plan;
    if (strip->prefer_plain)
      cpng_count(&counts, &block);
    else
      cpng_count_sample(&counts, &block);
    if (strip->prefer_plain)
      cpng_plan_block(&plan, &counts, block.count, CPNG_MAX_BITS);
    else
      cpng_plan_grouped(&plan, &counts, block.count);
    cpng_write_block(bits, &plan, &block, strip->last && at == strip->filtered_count);
  }
  return true;
}
