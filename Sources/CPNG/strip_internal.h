// What a level sees of a strip. The frame around it is in strip.c.
#ifndef CPNG_STRIP_INTERNAL_H
#define CPNG_STRIP_INTERNAL_H

#include "emit.h"
#include "filter.h"
#include "runs.h"
#include "strip.h"

// Memory that grows and is kept for the next strip.
typedef struct {
  void *memory;
  size_t capacity;
} cpng_area;

// At least `size` bytes, with what was in them gone, or NULL.
void *cpng_area_reserve(cpng_area *area, size_t size);

struct cpng_strip_scratch {
  cpng_area converted, zeros, filtered;
  cpng_area sequences, marks;  // of one block
  cpng_area level[4];          // whatever a level needs besides, by level
};

// A strip's rows, in PNG's layout.
typedef struct {
  const uint8_t *rows;
  ptrdiff_t stride;
  const uint8_t *above;  // the row above the first one, zeros at the top of the image
  uint32_t row_count;
  size_t row_bytes;
  size_t unit;        // bytes of a pixel for the filters, at least 1
  bool prefer_plain;  // palette indexes or less than a byte a sample: filters rarely help
  bool last;          // the block that ends the image is this strip's last
  uint8_t *filtered;  // row_count times a filter byte and row_bytes, and CPNG_PADDING more
  size_t filtered_count;
  cpng_strip_scratch *scratch;
} cpng_strip;

// Bytes behind the filtered ones that may be read, whatever they hold.
enum { CPNG_PADDING = 128 };

// The most bytes that one block may have: sampled counts and sort keys have room for them.
enum { CPNG_BLOCK_MAX = 1 << 20 };

static inline const uint8_t *cpng_strip_row(const cpng_strip *strip, uint32_t row) {
  return strip->rows + (ptrdiff_t)row * strip->stride;
}

static inline const uint8_t *cpng_strip_above(const cpng_strip *strip, uint32_t row) {
  return row == 0 ? strip->above : cpng_strip_row(strip, row - 1);
}

// Spells a block, no longer than the strip, with runs of its bytes; false when memory is short.
bool cpng_spell_with_runs(cpng_strip_scratch *scratch, cpng_block *block, cpng_sequence *sequences,
                          cpng_shortest_run shortest);

// Spells a block with all repeats that are found, as drawn rows without filters mostly have them.
// `stride` is a row's bytes and its filter byte.
void cpng_spell_with_repeats(cpng_block *block, cpng_sequence *sequences, size_t unit,
                             size_t stride);

// Fills strip->filtered and writes it as blocks, the last one final if strip->last says so. False
// when memory is short.
typedef bool cpng_encode_strip(cpng_strip *strip, cpng_bits *bits);

cpng_encode_strip cpng_encode_fastest, cpng_encode_fast, cpng_encode_balanced, cpng_encode_small;

#endif
