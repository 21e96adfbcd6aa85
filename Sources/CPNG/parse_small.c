// The level `.small`.
#include "choose.h"
#include "kernel.h"
#include "parse_lazy.h"
#include "parse_optimal.h"
#include "runs.h"
#include "split.h"

// Room for the sequences of a block: several batches join before it is split.
enum { SEQUENCES = 3 * CPNG_BATCH_SEQUENCES };

// Where nothing is known yet: each literal and length as likely as the others, short lengths more.
static void guess(cpng_counts *counts) {
  memset(counts, 0, sizeof *counts);
  for (unsigned i = 0; i < 256; i++)
    counts->literals[i] = 8;
  for (unsigned i = CPNG_END_OF_BLOCK + 1; i < CPNG_LITERALS; i++)
    counts->literals[i] = i < 265 ? 32 : 16;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    counts->distances[i] = 16;
}

// What a spelling with runs says about literals; the matches that it lacks are given a chance.
static bool learn_from_runs(cpng_counts *counts, const cpng_strip *strip,
                            cpng_sequence *sequences) {
  cpng_block block = {strip->filtered, strip->filtered_count, sequences, 0};
  if (!cpng_spell_with_runs(strip->scratch, &block, sequences)) return false;
  cpng_count(counts, &block);
  uint32_t runs = (uint32_t)block.sequence_count;
  for (unsigned i = CPNG_END_OF_BLOCK + 1; i < CPNG_LITERALS; i++)
    counts->literals[i] += runs / 64 + 2;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    counts->distances[i] += runs / 32 + 4;
  return true;
}

bool cpng_encode_small(cpng_strip *strip, cpng_bits *bits) {
  // Filtered bytes repeat by accident: only longer matches are worth a look.
  static const cpng_optimal_effort plain = {32, 8, 128, 16, 1}, filtered = {16, 4, 128, 258, 1};
  cpng_area *area = &strip->scratch->level[CPNG_SMALL];
  bool fresh = area->memory == NULL;
  cpng_optimal *state = cpng_area_reserve(area, sizeof *state);
  size_t room = strip->filtered_count / CPNG_SHORTEST_MATCH + 2;
  if (room < SEQUENCES) room = SEQUENCES;
  cpng_sequence *sequences =
      cpng_area_reserve(&strip->scratch->sequences, room * sizeof *sequences);
  if (state == NULL || sequences == NULL) return false;
  if (fresh) memset(state, 0, sizeof *state);

  cpng_manner manner = cpng_choose_manner(strip, &state->matcher, sequences);
  cpng_filter_rows(manner, strip, 0, strip->row_count, strip->filtered);
  cpng_counts expected;
  if (manner == CPNG_PLAIN)
    guess(&expected);
  else if (!learn_from_runs(&expected, strip, sequences))
    return false;
  cpng_text text = {strip->filtered, strip->filtered_count, strip->unit, strip->row_bytes + 1};
  cpng_optimal_begin(state, &text, &expected);
  size_t made = 0, start = 0;
  for (size_t at = 0; at < text.count;) {
    // The literals at the end of a batch belong to the first match of the next.
    uint32_t literals = made == 0 ? 0 : sequences[--made].literals;
    size_t count;
    at = cpng_parse_optimally(state, manner == CPNG_FILTERED ? &filtered : &plain, &text, at,
                              sequences + made, &count);
    sequences[made].literals += literals;
    made += count;
    bool last = at == text.count;
    if (!last && made + CPNG_BATCH_SEQUENCES <= SEQUENCES) continue;
    cpng_write_split(bits, &(cpng_block){text.bytes + start, at - start, sequences, made},
                     sequences, CPNG_MAX_BITS, strip->last && last);
    start = at;
    made = 0;
  }
  return true;
}
