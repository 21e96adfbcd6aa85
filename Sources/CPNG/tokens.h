// What the match finders are given and what they hand to the Huffman stage.
#ifndef CPNG_TOKENS_H
#define CPNG_TOKENS_H

#include <stddef.h>
#include <stdint.h>

// Bytes to be spelled: rows, each behind its filter byte. `unit` and `stride` are the distances to
// the pixel at the left and to the one above. CPNG_PADDING bytes behind the last one may be read.
typedef struct {
  const uint8_t *bytes;
  size_t count, unit, stride;
} cpng_text;

// `literals` bytes copied as they are, then a match. The last sequence of a block has length 0
// and holds the literals that are left.
typedef struct {
  uint32_t literals;
  uint16_t length;    // 3 or more, or 0 at the end of a block; if deflate can't say it, in pieces
  uint16_t distance;  // 1 to 32768
} cpng_sequence;

// One deflate block: `count` bytes and the sequences that spell exactly those.
typedef struct {
  const uint8_t *bytes;
  size_t count;
  const cpng_sequence *sequences;
  size_t sequence_count;
} cpng_block;

#endif
