// The level `.balanced`.
#include "choose.h"
#include "parse_lazy.h"
#include "split.h"

// Four bytes may be a pixel, and repeat as one; so few bytes of smaller pixels repeat too often.
static const cpng_effort small_pixels = {16, 4, 8, 2, 48, 16, 32, 4};
static const cpng_effort large_pixels = {32, 4, 8, 2, 48, 16, 32, 4};

bool cpng_encode_balanced(cpng_strip *strip, cpng_bits *bits) {
  cpng_area *area = &strip->scratch->level[CPNG_BALANCED];
  bool fresh = area->memory == NULL;
  cpng_matcher *matcher = cpng_area_reserve(area, sizeof *matcher);
  cpng_sequence *sequences =
      cpng_area_reserve(&strip->scratch->sequences,
                        (strip->filtered_count / CPNG_SHORTEST_MATCH + 2) * sizeof *sequences);
  if (matcher == NULL || sequences == NULL) return false;
  if (fresh) memset(matcher, 0, sizeof *matcher);

  cpng_manner manner = cpng_choose_manner(strip, matcher, sequences);
  cpng_filter_rows(manner, strip, 0, strip->row_count, strip->filtered);
  cpng_block block = {strip->filtered, strip->filtered_count, sequences, 0};
  if (manner != CPNG_PLAIN) {
    if (!cpng_spell_with_runs(strip->scratch, &block, sequences, CPNG_RUNS_OF_8)) return false;
  } else {
    cpng_text text = {block.bytes, block.count, strip->unit, strip->row_bytes + 1};
    const cpng_effort *effort = strip->unit == 1 ? &small_pixels : &large_pixels;
    block.sequence_count = cpng_parse_lazily(matcher, effort, &text, NULL, sequences);
  }
  cpng_write_split(bits, &block, sequences, CPNG_MAX_BITS, strip->last);
  return true;
}
