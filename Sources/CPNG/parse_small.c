// The level `.small`.
#include "choose.h"
#include "parse_lazy.h"
#include "parse_optimal.h"
#include "split.h"

// Room for the sequences of a block: several batches join before it is split.
enum { SEQUENCES = 3 * CPNG_BATCH_SEQUENCES };

// Filtered bytes repeat by accident: only longer matches are worth a look.
static const cpng_optimal_effort plain = {32, 8, 128, 16, 1}, filtered = {0, 4, 128, 258, 1};

// What a spelling with runs says about literals; the matches that it lacks are given a chance.
static void guess_from_runs(cpng_counts *counts, const cpng_block *runs) {
  cpng_count(counts, runs);
  uint32_t matches = (uint32_t)runs->sequence_count;
  for (unsigned i = CPNG_END_OF_BLOCK + 1; i < CPNG_LITERALS; i++)
    counts->literals[i] += matches / 64 + 2;
  for (unsigned i = 0; i < CPNG_DISTANCES; i++)
    counts->distances[i] += matches / 32 + 4;
}

typedef struct {
  cpng_strip *strip;
  cpng_bits *bits;
  cpng_optimal *state;
  cpng_sequence *sequences;
} job;

// Writes the strip's bytes from `start` to `end`, which are spelled by so many sequences.
static void write(const job *job, size_t start, size_t end, size_t sequence_count) {
  cpng_block block = {job->strip->filtered + start, end - start, job->sequences, sequence_count};
  cpng_write_split(job->bits, &block, job->sequences, CPNG_MAX_BITS,
                   job->strip->last && end == job->strip->filtered_count);
}

// Spells and writes the strip from `at` on, where the first `made` sequences spell [0, at).
static void write_cheapest(const job *job, const cpng_optimal_effort *effort, const cpng_text *text,
                           size_t at, size_t made) {
  size_t start = 0;
  while (at < text->count) {
    // The literals at the end of a batch belong to the first match of the next.
    uint32_t literals = made == 0 ? 0 : job->sequences[--made].literals;
    size_t count;
    at = cpng_parse_optimally(job->state, effort, text, at, job->sequences + made, &count);
    job->sequences[made].literals += literals;
    made += count;
    if (at < text->count && made + CPNG_BATCH_SEQUENCES <= SEQUENCES) continue;
    write(job, start, at, made);
    start = at;
    made = 0;
  }
  if (made > 0) write(job, start, at, made);
}

// Matches other than runs must save at least one in so many bits on the first batch, unless that
// is so empty that it says nothing about the rest.
enum { WORTH = 100 };

static bool write_strip(const job *job, const cpng_text *text, const cpng_optimal_effort *effort) {
  cpng_strip_scratch *scratch = job->strip->scratch;
  cpng_block runs = {text->bytes, text->count < CPNG_BATCH ? text->count : CPNG_BATCH,
                     job->sequences, 0};
  if (!cpng_spell_with_runs(scratch, &runs, job->sequences, CPNG_RUNS_OF_8)) return false;
  cpng_counts expected = {{0}, {0}};
  if (effort != &plain) guess_from_runs(&expected, &runs);
  cpng_optimal_begin(job->state, text, &expected);
  size_t made, at = cpng_parse_optimally(job->state, effort, text, 0, job->sequences, &made);
  cpng_block batch = {text->bytes, at, job->sequences, made};
  runs.count = at;
  runs.sequences = job->sequences + made;
  if (!cpng_spell_with_runs(scratch, &runs, job->sequences + made, CPNG_RUNS_OF_8)) return false;
  uint64_t bits = cpng_block_bits(&runs);
  if (bits < at / 2 || cpng_block_bits(&batch) < bits - bits / WORTH) {
    write_cheapest(job, effort, text, at, made);
    return true;
  }
  runs = (cpng_block){text->bytes, text->count, job->sequences, 0};
  if (!cpng_spell_with_runs(scratch, &runs, job->sequences, CPNG_RUNS_OF_8)) return false;
  write(job, 0, text->count, runs.sequence_count);
  return true;
}

bool cpng_encode_small(cpng_strip *strip, cpng_bits *bits) {
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
  if (manner != CPNG_PLAIN) manner = cpng_refine_manner(strip, sequences);
  cpng_filter_rows(manner, strip, 0, strip->row_count, strip->filtered);
  cpng_text text = {strip->filtered, strip->filtered_count, strip->unit, strip->row_bytes + 1};
  job job = {strip, bits, state, sequences};
  return write_strip(&job, &text, manner == CPNG_PLAIN ? &plain : &filtered);
}
