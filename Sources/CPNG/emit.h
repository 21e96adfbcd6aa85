// Blocks of tokens as deflate: the cheapest of a stored, a fixed and a dynamic block.
#ifndef CPNG_EMIT_H
#define CPNG_EMIT_H

#include "bits.h"
#include "deflate.h"
#include "huffman.h"
#include "tokens.h"
#include <stdbool.h>

// How often each symbol occurs in a block.
typedef struct {
  uint32_t literals[CPNG_ALPHABET_MAX];
  uint32_t distances[32];
} cpng_counts;

// Counts a block's symbols, the end of the block among them. Up to 3 bytes behind the block's are
// read.
void cpng_count(cpng_counts *counts, const cpng_block *block);

// The same from a sixteenth of the literals where there are many; then every literal gets at least
// one, so that those that were missed have a code.
void cpng_count_sample(cpng_counts *counts, const cpng_block *block);

typedef enum { CPNG_STORED, CPNG_FIXED, CPNG_DYNAMIC } cpng_form;

// How a block will be written, and what it costs.
typedef struct {
  cpng_form form;
  bool grouped;   // the codes are of the kind described in grouped.h
  uint64_t bits;  // of the whole block; a stored one is taken to lose 7 bits to alignment
  // Code lengths of the Huffman form, whatever `form` says: 0 for a symbol without a code. They
  // leave out the extra bits (see deflate.h).
  uint8_t literal_bits[CPNG_ALPHABET_MAX];
  uint8_t distance_bits[32];
  // The dynamic header: how many lengths of each alphabet, and their run-length code.
  unsigned literal_count, distance_count, order_count, item_count;
  uint8_t order_bits[19];
  uint8_t items[CPNG_LITERALS + CPNG_DISTANCES];
  uint8_t extras[CPNG_LITERALS + CPNG_DISTANCES];
} cpng_plan;

// Literals that are written between two looks at the room that is left, and the most bytes that
// these and a match take.
enum { CPNG_EMIT_PIECE = 4096, CPNG_EMIT_SLACK = CPNG_EMIT_PIECE * 2 + 64 };

// Chooses the form for a block of `bytes` bytes from its counts. `limit` is the longest code, at
// most 15. A block that cannot be stored (its bytes are not at hand) passes SIZE_MAX.
void cpng_plan_block(cpng_plan *plan, const cpng_counts *counts, size_t bytes, unsigned limit);

// Completes a plan that has its code lengths.
void cpng_finish_plan(cpng_plan *plan, const cpng_counts *counts, size_t bytes, unsigned limit);

// Writes the block as planned: exactly plan->bits bits if the counts were exact, fewer if it is
// stored. Up to 63 bytes behind the block's are read. Should it become longer than a stored block,
// that is written in its place; CPNG_EMIT_SLACK bytes behind it may be overwritten. Every symbol of
// the block needs a count.
void cpng_write_block(cpng_bits *bits, const cpng_plan *plan, const cpng_block *block, bool final);

// Writes a block that holds nothing. When it isn't the final one, it ends on a byte boundary.
void cpng_write_empty(cpng_bits *bits, bool final);

#endif
