// The level `.small`.
#include "choose.h"
#include "parse_lazy.h"
#include "parse_optimal.h"
#include "split.h"

// Room for the sequences of a block: several batches join before it is split.
enum { SEQUENCES = 4 * CPNG_BATCH_SEQUENCES };

// How a strip is spelled, and a faster way to find out whether that is worth its time. Filtered
// bytes repeat by accident: only longer matches are worth a look.
typedef struct {
  cpng_optimal_effort effort;
  cpng_effort trial;
} way;

static const way plain = {{8, true, 4, 128, 16, 1}, {32, 4, 24, 2, 64, 16, 16, 5}};
static const way filtered = {{0, false, 4, 64, 64, 1}, {0, 8, 24, 2, 64, 16, 16, 5}};

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

static void write_cheapest(const job *job, const cpng_optimal_effort *effort,
                           const cpng_text *text) {
  size_t start = 0, at = 0, made = 0;
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

// The part of a strip on which the matches are tried: rows from its middle.
enum { TRIED = 32 << 10 };

static cpng_text tried_part(const cpng_text *text) {
  size_t rows = text->count / text->stride, wanted = TRIED / text->stride + 2;
  if (wanted > rows) wanted = rows;
  size_t first = (rows - wanted) / 2;
  return (cpng_text){text->bytes + first * text->stride, wanted * text->stride, text->unit,
                     text->stride};
}

// Matches other than runs must save one in so many bits on that part, unless it is so empty that it
// says nothing about the rest.
enum { WORTH = 128, EMPTY = 8 };

// Whether to look for matches; if so, what their tokens' counts should be like. With less memory
// than that takes, there are runs only.
static bool matches_pay(const job *job, const cpng_text *text, const way *way,
                        cpng_counts *expected) {
  cpng_text part = tried_part(text);
  cpng_block block = {part.bytes, part.count, job->sequences, 0};
  if (!cpng_spell_with_runs(job->strip->scratch, &block, job->sequences, CPNG_RUNS_OF_8))
    return false;
  uint64_t runs = cpng_block_bits(&block);
  cpng_counts counts;
  cpng_expect_matches(&counts, &block);
  block.sequence_count =
      cpng_parse_lazily(&job->state->matcher, &way->trial, &part, &counts, job->sequences);
  cpng_expect_matches(expected, &block);
  return cpng_block_bits(&block) < runs - runs / WORTH || runs < part.count * 8 / EMPTY;
}

static bool write_strip(const job *job, const cpng_text *text, const way *way) {
  cpng_counts expected;
  if (matches_pay(job, text, way, &expected)) {
    cpng_optimal_begin(job->state, text, &expected);
    write_cheapest(job, &way->effort, text);
    return true;
  }
  cpng_block runs = {text->bytes, text->count, job->sequences, 0};
  if (!cpng_spell_with_runs(job->strip->scratch, &runs, job->sequences, CPNG_RUNS_OF_8))
    return false;
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
