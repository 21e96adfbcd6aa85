#include "drawn.h"
#include "costs.h"
#include "kernel.h"

// Places to look at, evenly spread over a row.
enum { STEP = 61, GLANCE_ROWS = 8, SEEN_BITS = 9 };

// What one sees of a strip in some rows.
typedef struct {
  size_t places, changes, news;   // that differ from the pixel at their left, and from all before
  uint64_t seen[1 << SEEN_BITS];  // what places looked like
  uint32_t busiest;               // the row with the most changes
  size_t most;                    // and how many these are
} glance;

// Looks at places of a row, and returns how many change.
static size_t look_along(glance *glance, const cpng_strip *strip, const uint8_t *row) {
  const size_t unit = strip->unit, step = STEP / unit * unit;
  size_t changes = 0;
  for (size_t at = unit; at + 8 <= strip->row_bytes; at += step, glance->places++) {
    uint64_t here = cpng_load64(row + at);
    uint64_t *last = &glance->seen[here * 0x9e3779b97f4a7c15 >> (64 - SEEN_BITS)];
    changes += cpng_load64(row + at - unit) != here;
    glance->news += *last != here;
    *last = here;
  }
  glance->changes += changes;
  return changes;
}

static void glance_at(glance *glance, const cpng_strip *strip) {
  memset(glance, 0, sizeof *glance);
  for (uint32_t i = 0; i < GLANCE_ROWS; i++) {
    uint64_t place = (uint64_t)strip->row_count * (2 * i + 1) / (2 * GLANCE_ROWS);
    size_t changes = look_along(glance, strip, cpng_strip_row(strip, (uint32_t)place));
    if (changes <= glance->most) continue;
    glance->most = changes;
    glance->busiest = (uint32_t)place;
  }
}

// How many of the places between two bytes of a row change.
static size_t changes_in(const uint8_t *row, size_t from, size_t to, size_t unit) {
  size_t changes = 0;
  for (size_t at = from < unit ? unit : from; at + 8 <= to; at += STEP / unit * unit)
    changes += cpng_load64(row + at) != cpng_load64(row + at - unit);
  return changes;
}

// Some pieces of some rows, where most changes. Each piece is taken for rows of its own, so that
// few bytes tell of many places.
enum { PIECE = 480, PIECES = 3, ROWS = 4 };  // pixels of any size fill a piece

typedef struct {
  uint32_t first, rows;
  size_t pieces, bytes;   // of a row, and of a piece
  size_t starts[PIECES];  // in a row
  size_t changes;         // in the row that they were chosen by
} sample;

// Keeps the pieces with the most changes.
static void choose_pieces(sample *sample, const cpng_strip *strip, uint32_t row) {
  size_t changes[PIECES + 1] = {0};
  sample->pieces = 0;
  for (size_t start = 0; start + PIECE <= strip->row_bytes; start += PIECE) {
    size_t here = changes_in(cpng_strip_row(strip, row), start, start + PIECE, strip->unit);
    size_t place = sample->pieces < PIECES ? sample->pieces++ : PIECES;
    for (; place > 0 && changes[place - 1] < here; place--) {
      changes[place] = changes[place - 1];
      if (place < PIECES) sample->starts[place] = sample->starts[place - 1];
    }
    changes[place] = here;
    if (place < PIECES) sample->starts[place] = start;
  }
  sample->changes = changes[0] + changes[1] + changes[2];
}

static sample sample_around(const cpng_strip *strip, const glance *glance) {
  const uint32_t row = glance->busiest;
  sample sample = {.rows = ROWS, .pieces = 1, .bytes = strip->row_bytes};
  if (strip->row_bytes + 1 > PIECES * (PIECE + 1)) {
    sample.bytes = PIECE;
    choose_pieces(&sample, strip, row);
  } else {  // all of more rows
    sample.rows = (uint32_t)(ROWS * PIECES * (PIECE + 1) / (strip->row_bytes + 1));
    sample.changes = glance->most;
  }
  if (sample.rows > strip->row_count) sample.rows = strip->row_count;
  uint32_t last = strip->row_count - sample.rows;
  sample.first = row < sample.rows / 2 ? 0 : row - sample.rows / 2;
  if (sample.first > last) sample.first = last;
  return sample;
}

// Writes the sample to strip->filtered and returns its bytes.
static size_t take(const cpng_strip *strip, const sample *sample, bool filtered) {
  enum { FILTER_STEP = 4 };
  uint8_t *out = strip->filtered;
  for (size_t piece = 0; piece < sample->pieces; piece++) {
    for (uint32_t row = sample->first; row < sample->first + sample->rows; row++) {
      const uint8_t *here = cpng_strip_row(strip, row) + sample->starts[piece];
      const uint8_t *above = cpng_strip_above(strip, row) + sample->starts[piece];
      cpng_filter filter = CPNG_NONE;
      if (filtered)
        filter = cpng_choose_filter(here, above, sample->bytes, strip->unit, FILTER_STEP);
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

// How many bytes are in no match.
static size_t literals_of(const cpng_block *block) {
  size_t literals = 0;
  for (size_t i = 0; i < block->sequence_count; i++)
    literals += block->sequences[i].literals;
  return literals;
}

// About what repeats take for a row where nothing is drawn, and filtered rows next to nothing for.
static uint64_t bits_of_calm_row(const cpng_strip *strip) {
  return 4 * (1 + strip->unit) + strip->row_bytes / 128;
}

bool cpng_is_drawn(const cpng_strip *strip, cpng_sequence *sequences, unsigned sixteenths) {
  glance glance;
  glance_at(&glance, strip);
  // Where much is new, as in photographs, nothing repeats; indexes are few, and say less.
  if (glance.news * 10 > glance.places * 7 && !strip->prefer_plain) return false;
  if (glance.changes == 0 && glance.places > 0) return false;
  sample sample = sample_around(strip, &glance);
  cpng_block block = {strip->filtered, take(strip, &sample, false), sequences, 0};
  cpng_spell_with_repeats(&block, sequences, strip->unit, sample.bytes + 1);
  // Of what is drawn, most repeats: no need to filter, then, to see.
  if (literals_of(&block) > block.count / 2) return false;
  uint64_t plain = bits_of(&block);
  take(strip, &sample, true);
  if (!cpng_spell_with_runs(strip->scratch, &block, sequences, CPNG_RUNS_OF_16)) return false;
  uint64_t limit = bits_of(&block) * sixteenths / 16;
  if (plain >= limit) return false;
  // What is gained on all that changes, against what is lost on the rest.
  return (limit - plain) * glance.changes >=
         bits_of_calm_row(strip) * sample.changes * sample.rows * GLANCE_ROWS;
}
