// The levels `.fastest` and `.fast`.
#include "strip_internal.h"

static void filter(cpng_strip *strip) {
  uint8_t *out = strip->filtered;
  for (uint32_t row = 0; row < strip->row_count; row++) {
    const uint8_t *here = cpng_strip_row(strip, row), *above = cpng_strip_above(strip, row);
    cpng_filter filter = CPNG_NONE;
    if (!strip->prefer_plain)
      filter = cpng_choose_filter(here, above, strip->row_bytes, strip->unit);
    *out++ = (uint8_t)filter;
    cpng_filter_row(filter, out, here, above, strip->row_bytes, strip->unit);
    out += strip->row_bytes;
  }
}

enum { SHORTEST_RUN = 8 };

// Runs of one byte are the only matches.
static size_t find_runs(cpng_sequence *sequences, const uint8_t *bytes, size_t count) {
  size_t made = 0, literals = 0, at = 1;
  while (at < count) {
    size_t run = 0;
    while (at + run < count && bytes[at + run] == bytes[at - 1] && run < CPNG_MAX_MATCH)
      run++;
    if (run < SHORTEST_RUN) {
      at += run + 1;
      continue;
    }
    sequences[made++] = (cpng_sequence){(uint32_t)(at - literals), (uint16_t)run, 1};
    at += run;
    literals = at;
  }
  sequences[made++] = (cpng_sequence){(uint32_t)(count - literals), 0, 0};
  return made;
}

bool cpng_encode_fast(cpng_strip *strip, cpng_bits *bits) {
  filter(strip);
  size_t most = strip->filtered_count < CPNG_BLOCK_MAX ? strip->filtered_count : CPNG_BLOCK_MAX;
  cpng_sequence *sequences =
      cpng_area_reserve(&strip->scratch->sequences, (most / SHORTEST_RUN + 1) * sizeof *sequences);
  if (sequences == NULL) return false;
  for (size_t at = 0; at < strip->filtered_count;) {
    size_t left = strip->filtered_count - at;
    cpng_block block = {strip->filtered + at, left < CPNG_BLOCK_MAX ? left : CPNG_BLOCK_MAX,
                        sequences, 0};
    block.sequence_count = find_runs(sequences, block.bytes, block.count);
    at += block.count;
    cpng_counts counts;
    cpng_plan plan;
    cpng_count(&counts, &block);
    cpng_plan_block(&plan, &counts, block.count, CPNG_FAST_LIMIT);
    cpng_write_block(bits, &plan, &block, strip->last && at == strip->filtered_count);
  }
  return true;
}
