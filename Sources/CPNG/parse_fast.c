// The levels `.fastest` and `.fast`.
#include "grouped.h"
#include "kernel.h"
#include "runs.h"
#include "strip_internal.h"

// Filters some rows to strip->filtered. A filter is chosen for `period` rows at a time, from a
// quarter of the first one's bytes.
static void filter_rows(cpng_strip *strip, uint32_t first, uint32_t count, uint32_t period) {
  enum { STEP = 4 };
  uint8_t *out = strip->filtered;
  cpng_filter filter = CPNG_UP;
  uint32_t chosen = 0;  // rows that still take the filter
  for (uint32_t row = first; row < first + count; row++, out += strip->row_bytes) {
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

static void copy_rows(cpng_strip *strip, uint32_t first, uint32_t count) {
  uint8_t *out = strip->filtered;
  for (uint32_t row = first; row < first + count; row++, out += strip->row_bytes) {
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

// Spells a block with all repeats that are found, as drawn rows mostly have them, and plans it.
static void plan_repeats(cpng_block *block, cpng_sequence *sequences, cpng_plan *plan) {
  uint32_t heads[1 << CPNG_HEAD_BITS];
  cpng_counts counts;
  block->sequence_count = cpng_kernel()->find_repeats(sequences, heads, block->bytes, block->count);
  cpng_count(&counts, block);
  cpng_plan_block(plan, &counts, block->count, CPNG_MAX_BITS);
}

static cpng_sequence *reserve_sequences(cpng_strip *strip) {
  size_t most = strip->filtered_count < CPNG_BLOCK_MAX ? strip->filtered_count : CPNG_BLOCK_MAX;
  return cpng_area_reserve(&strip->scratch->sequences,
                           (most / CPNG_SHORTEST_REPEAT + 1) * sizeof(cpng_sequence));
}

static bool write_blocks(cpng_strip *strip, cpng_bits *bits, cpng_sequence *sequences, bool repeats,
                         cpng_shortest_run shortest) {
  for (size_t at = 0; at < strip->filtered_count;) {
    size_t left = strip->filtered_count - at;
    cpng_block block = {strip->filtered + at, left < CPNG_BLOCK_MAX ? left : CPNG_BLOCK_MAX,
                        sequences, 0};
    at += block.count;
    cpng_plan plan;
    if (repeats)
      plan_repeats(&block, sequences, &plan);
    else if (!plan_runs(strip, &block, sequences, shortest, &plan))
      return false;
    cpng_write_block(bits, &plan, &block, strip->last && at == strip->filtered_count);
  }
  return true;
}

// Drawn images have filters, too: what repeats is more than runs, but takes much longer to find.
bool cpng_encode_fastest(cpng_strip *strip, cpng_bits *bits) {
  cpng_sequence *sequences = reserve_sequences(strip);
  if (sequences == NULL) return false;
  filter_rows(strip, 0, strip->row_count, 8);
  return write_blocks(strip, bits, sequences, false, CPNG_RUNS_OF_32);
}

// A look at some rows of a strip.
typedef struct {
  bool drawn;        // most bytes equal the one before
  uint32_t busiest;  // the row where the fewest do
} glance;

static glance look_at(const cpng_strip *strip) {
  enum { ROWS = 8 };
  size_t equal = 0, seen = 0, least = SIZE_MAX;
  glance glance = {false, 0};
  for (uint32_t i = 0; i < ROWS; i++) {
    uint32_t number = (uint32_t)((uint64_t)strip->row_count * (2 * i + 1) / (2 * ROWS));
    const uint8_t *row = cpng_strip_row(strip, number);
    size_t here = 0;
    for (size_t at = 1; at < strip->row_bytes; at++)
      here += row[at] == row[at - 1];
    if (here < least) glance.busiest = number;
    if (here < least) least = here;
    equal += here;
    seen += strip->row_bytes;
  }
  glance.drawn = equal * 4 > seen * 3;
  return glance;
}

// Whether a strip is smaller without filters, by a look at some rows around one. Repeats take
// longer to find than runs, and fewer rows have fewer of them: so they have to gain nothing there.
static bool gains_from_repeats(cpng_strip *strip, cpng_sequence *sequences, uint32_t around) {
  enum { SAMPLE = 8 << 10, ROWS = 3, SLACK = 2048 };
  size_t count = SAMPLE / (strip->row_bytes + 1);
  if (count < ROWS) count = ROWS;
  if (count > strip->row_count) count = strip->row_count;
  uint32_t rows = (uint32_t)count, first = around < rows / 2 ? 0 : around - rows / 2;
  if (first > strip->row_count - rows) first = strip->row_count - rows;
  size_t bytes = (strip->row_bytes + 1) * rows;
  if (bytes > CPNG_BLOCK_MAX) bytes = CPNG_BLOCK_MAX;
  cpng_block block = {strip->filtered, bytes, sequences, 0};
  cpng_plan filtered, plain;
  filter_rows(strip, first, rows, 1);
  if (!plan_runs(strip, &block, sequences, CPNG_RUNS_OF_16, &filtered)) return true;
  copy_rows(strip, first, rows);
  plan_repeats(&block, sequences, &plain);
  return plain.bits < filtered.bits + filtered.bits / 8;
}

bool cpng_encode_fast(cpng_strip *strip, cpng_bits *bits) {
  cpng_sequence *sequences = reserve_sequences(strip);
  if (sequences == NULL) return false;
  bool repeats = false;
  if (strip->unit == 1) {
    glance glance = look_at(strip);
    repeats =
        strip->prefer_plain ? gains_from_repeats(strip, sequences, glance.busiest) : glance.drawn;
  }
  if (repeats)
    copy_rows(strip, 0, strip->row_count);
  else
    filter_rows(strip, 0, strip->row_count, 1);
  return write_blocks(strip, bits, sequences, repeats, CPNG_RUNS_OF_16);
}
