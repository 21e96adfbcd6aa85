#include "drawn.h"
#include "costs.h"
#include "kernel.h"

// A look at some rows of a strip.
typedef struct {
  bool calm;         // much of it repeats the pixel at its left
  uint32_t busiest;  // the row where the least does
} glance;

static glance look_at(const cpng_strip *strip) {
  enum { ROWS = 8, STEP = 61, CALM = 3 };  // tenths that repeat
  size_t equal = 0, seen = 0, least = SIZE_MAX;
  glance glance = {false, 0};
  for (uint32_t i = 0; i < ROWS; i++) {
    uint32_t number = (uint32_t)((uint64_t)strip->row_count * (2 * i + 1) / (2 * ROWS));
    const uint8_t *row = cpng_strip_row(strip, number);
    size_t here = 0;
    for (size_t at = strip->unit; at + 8 <= strip->row_bytes; at += STEP, seen++)
      here += cpng_load64(row + at) == cpng_load64(row + at - strip->unit);
    if (here < least) glance.busiest = number;
    if (here < least) least = here;
    equal += here;
  }
  glance.calm = equal * 10 >= seen * CALM;
  return glance;
}

// Some pieces of some rows. Each piece is taken for rows of its own, so that few bytes tell of
// many places.
typedef struct {
  uint32_t first, rows;
  size_t pieces, bytes;  // of a row, and of a piece
} sample;

// Pixels of any size fill a piece.
enum { PIECE = 480, PIECES = 3, ROWS = 4 };

static sample sample_around(const cpng_strip *strip, uint32_t row) {
  sample sample = {0, ROWS, PIECES, PIECE};
  if (strip->row_bytes + 1 <= PIECES * (PIECE + 1)) {  // all of more rows, then
    sample.pieces = 1;
    sample.bytes = strip->row_bytes;
    sample.rows = (uint32_t)(ROWS * PIECES * (PIECE + 1) / (strip->row_bytes + 1));
  }
  if (sample.rows > strip->row_count) sample.rows = strip->row_count;
  uint32_t last = strip->row_count - sample.rows;
  sample.first = row < sample.rows / 2 ? 0 : row - sample.rows / 2;
  if (sample.first > last) sample.first = last;
  return sample;
}

// Writes the sample to strip->filtered and returns its bytes.
static size_t take(const cpng_strip *strip, const sample *sample, bool filtered) {
  enum { STEP = 4 };
  uint8_t *out = strip->filtered;
  for (size_t piece = 0; piece < sample->pieces; piece++) {
    size_t skipped = (strip->row_bytes - sample->bytes) * (2 * piece + 1) / (2 * sample->pieces);
    skipped -= skipped % strip->unit;
    for (uint32_t row = sample->first; row < sample->first + sample->rows; row++) {
      const uint8_t *here = cpng_strip_row(strip, row) + skipped;
      const uint8_t *above = cpng_strip_above(strip, row) + skipped;
      cpng_filter filter = CPNG_NONE;
      if (filtered) filter = cpng_choose_filter(here, above, sample->bytes, strip->unit, STEP);
      *out++ = (uint8_t)filter;
      cpng_filter_row(filter, out, here, above, sample->bytes, strip->unit);
      out += sample->bytes;
    }
  }
  return (size_t)(out - strip->filtered);
}

static uint64_t bits_of(const cpng_block *block) {
  cpng_counts counts;
  cpng_count(&counts, block);
  return cpng_counts_bits(&counts);
}

bool cpng_is_drawn(const cpng_strip *strip, cpng_sequence *sequences, unsigned sixteenths) {
  glance glance = look_at(strip);
  if (!glance.calm && !strip->prefer_plain) return false;
  sample sample = sample_around(strip, glance.busiest);
  cpng_block block = {strip->filtered, take(strip, &sample, true), sequences, 0};
  if (!cpng_spell_with_runs(strip->scratch, &block, sequences, CPNG_RUNS_OF_16)) return false;
  uint64_t filtered = bits_of(&block);
  take(strip, &sample, false);
  cpng_spell_with_repeats(&block, sequences, strip->unit, sample.bytes + 1);
  return bits_of(&block) < filtered / 16 * sixteenths;
}
