#include "choose.h"
#include "kernel.h"
#include "parse_lazy.h"
#include "runs.h"

void cpng_filter_rows(cpng_manner manner, const cpng_strip *strip, uint32_t first, uint32_t count,
                      uint8_t *out) {
  for (uint32_t row = first; row < first + count; row++) {
    const uint8_t *here = cpng_strip_row(strip, row), *above = cpng_strip_above(strip, row);
    cpng_filter filter = (cpng_filter)manner;
    if (manner >= CPNG_BY_ROW)
      filter = cpng_choose_filter(here, above, strip->row_bytes, strip->unit,
                                  manner == CPNG_BY_ROW ? 1 : 4);
    *out++ = (uint8_t)filter;
    cpng_filter_row(filter, out, here, above, strip->row_bytes, strip->unit);
    out += strip->row_bytes;
  }
}

// A sample of the strip: groups of rows, evenly spread. A group has some rows, so that matches with
// the row above are seen.
enum { GROUP_BYTES = 8 << 10, GROUP_ROWS = 3, GROUPS_LEAST = 2 };

// The rows of a group.
static size_t sample_group(const cpng_strip *strip) {
  size_t group = GROUP_BYTES / (strip->row_bytes + 1) + 1;
  return group < GROUP_ROWS ? GROUP_ROWS : group;
}

// From the start of a group to the next one's, in rows.
static size_t sample_step(const cpng_strip *strip, size_t one_in) {
  size_t group = sample_group(strip), step = one_in * group;
  size_t widest = strip->row_count / GROUPS_LEAST;
  if (step <= widest) return step;
  return widest < group ? group : widest;
}

static size_t filter_sample(cpng_manner manner, const cpng_strip *strip, size_t one_in) {
  size_t stride = strip->row_bytes + 1, group = sample_group(strip), count = 0;
  size_t step = sample_step(strip, one_in);
  for (size_t row = (step - group) / 2; row < strip->row_count; row += step) {
    size_t rows = strip->row_count - row < group ? strip->row_count - row : group;
    cpng_filter_rows(manner, strip, (uint32_t)row, (uint32_t)rows, strip->filtered + count);
    count += rows * stride;
  }
  return count;
}

void cpng_expect_matches(cpng_counts *counts, const cpng_block *block) {
  cpng_count(counts, block);
  uint32_t matches = (uint32_t)block->sequence_count;
  for (unsigned i = CPNG_END_OF_BLOCK + 1; i < CPNG_LITERALS; i++)
    counts->literals[i] += matches / 64 + 2;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    counts->distances[i] += matches / 32 + 4;
}

uint64_t cpng_block_bits(const cpng_block *block) {
  cpng_counts counts;
  cpng_plan plan;
  cpng_count(&counts, block);
  cpng_plan_block(&plan, &counts, block->count, CPNG_MAX_BITS);
  return plan.bits;
}

// Whether a sample with one in so many groups is all of the strip already.
static bool is_whole(const cpng_strip *strip, size_t one_in) {
  return sample_step(strip, one_in) == sample_group(strip);
}

static uint64_t bits_with_runs(cpng_manner manner, const cpng_strip *strip, size_t one_in,
                               cpng_sequence *sequences) {
  cpng_block block = {strip->filtered, filter_sample(manner, strip, one_in), sequences, 0};
  return cpng_spell_with_runs(strip->scratch, &block, sequences, CPNG_RUNS_OF_8)
             ? cpng_block_bits(&block)
             : UINT64_MAX;
}

// How a sample without filters is spelled: its bits, and how many of its bytes are in matches.
typedef struct {
  uint64_t bits;
  size_t count, matched;
} plain_sample;

static plain_sample sample_plainly(const cpng_strip *strip, size_t one_in, cpng_matcher *matcher,
                                   cpng_sequence *sequences) {
  static const cpng_effort effort = {32, 4, 8, 1, 32, 0, 16, 3};
  cpng_block block = {strip->filtered, filter_sample(CPNG_PLAIN, strip, one_in), sequences, 0};
  cpng_text text = {block.bytes, block.count, strip->unit, strip->row_bytes + 1};
  block.sequence_count = cpng_parse_lazily(matcher, &effort, &text, NULL, sequences);
  plain_sample sample = {cpng_block_bits(&block), block.count, 0};
  for (size_t i = 0; i < block.sequence_count; i++)
    sample.matched += sequences[i].length;
  return sample;
}

// Whether the strip is clearly better with filters, found out by a look that takes little time.
// Where there is next to nothing on the sample, such a look misleads.
static bool is_filtered_clearly(const cpng_strip *strip, uint64_t filtered, size_t one_in,
                                cpng_sequence *sequences) {
  cpng_block block = {strip->filtered, filter_sample(CPNG_PLAIN, strip, one_in), sequences, 0};
  if (filtered < block.count / 2) return false;
  cpng_spell_with_repeats(&block, sequences, strip->unit, strip->row_bytes + 1);
  return cpng_block_bits(&block) > filtered + filtered / 2;
}

cpng_manner cpng_choose_manner(const cpng_strip *strip, cpng_matcher *matcher,
                               cpng_sequence *sequences) {
  // A look at a few groups often suffices, one at more of them always.
  uint64_t filtered = bits_with_runs(CPNG_BY_ROW_GLANCE, strip, 16, sequences);
  if (is_filtered_clearly(strip, filtered, 16, sequences)) return CPNG_BY_ROW_GLANCE;
  plain_sample plain = sample_plainly(strip, 16, matcher, sequences);
  bool close = plain.bits < filtered + filtered / 4 && filtered < plain.bits + plain.bits / 4;
  if (close && !is_whole(strip, 16)) {
    filtered = bits_with_runs(CPNG_BY_ROW_GLANCE, strip, 4, sequences);
    plain = sample_plainly(strip, 4, matcher, sequences);
  }
  // Where there is next to nothing on the sample, what is drawn elsewhere counts. Matches, as far
  // as there are any, gain more from all of a strip than from a sample, but for indexes, whose
  // differences are few, too.
  if (!strip->prefer_plain) filtered += filtered / 16 * plain.matched / plain.count;
  return plain.bits < filtered + 4096 ? CPNG_PLAIN : CPNG_BY_ROW_GLANCE;
}

cpng_manner cpng_refine_manner(const cpng_strip *strip, cpng_sequence *sequences) {
  cpng_manner best = CPNG_BY_ROW;
  uint64_t least = bits_with_runs(best, strip, 4, sequences);
  for (cpng_manner manner = CPNG_ALL_SUB; manner < CPNG_BY_ROW; manner++) {
    uint64_t bits = bits_with_runs(manner, strip, 4, sequences);
    if (bits >= least) continue;
    least = bits;
    best = manner;
  }
  return best;
}
