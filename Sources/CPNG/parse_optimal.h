// The cheapest of all spellings, as far as costs can be known beforehand.
#ifndef CPNG_PARSE_OPTIMAL_H
#define CPNG_PARSE_OPTIMAL_H

#include "costs.h"
#include "match.h"
#include <stdbool.h>

enum {
  CPNG_BATCH = 1 << 15,                           // bytes spelled at a time
  CPNG_BATCH_ROOM = CPNG_BATCH + CPNG_MAX_MATCH,  // and the rest of a match that reaches out
  CPNG_BATCH_SEQUENCES = CPNG_BATCH_ROOM / CPNG_MIN_MATCH + 2,
  CPNG_BATCH_MATCHES = 1 << 15,
  CPNG_SHORT_HASH_BITS = 12,
  CPNG_MIDDLE_HASH_BITS = 13,
};

// All zeros is a state that has seen nothing.
typedef struct {
  cpng_matcher matcher;
  uint32_t short_heads[1 << CPNG_SHORT_HASH_BITS];    // the last position of each hash of 3 bytes
  uint32_t middle_heads[1 << CPNG_MIDDLE_HASH_BITS];  // and of 5 bytes
  uint32_t rounds;                                    // of the matcher, when they were last valid
  cpng_counts counts;                                 // of the tokens so far, fading
  cpng_costs costs;
  // Of a batch: how many matches each position may begin with, and all of them in order: at each
  // position from short to long.
  uint8_t match_counts[CPNG_BATCH_ROOM];
  uint32_t matches[CPNG_BATCH_MATCHES];
  size_t match_total;
  // What it costs to come from each position to the end, and the match to begin with, or 0.
  uint32_t costs_from[CPNG_BATCH_ROOM + 1];
  uint32_t choices[CPNG_BATCH_ROOM];
} cpng_optimal;

// How much is tried.
typedef struct {
  unsigned skipped;    // bits that the chains' hash leaves out of 8 bytes
  bool short_matches;  // 3 and 5 bytes are looked up, too
  uint32_t depth;      // candidates of one chain
  uint32_t enough;     // a match of this length is taken without a look at others
  // Within a match of at least this length, few others are looked for but near its end.
  uint32_t good;
  uint32_t passes;  // over each batch, the later ones with the costs that the earlier ones found
} cpng_optimal_effort;

// Begins a text whose tokens' counts are `expected` to be like these.
void cpng_optimal_begin(cpng_optimal *state, const cpng_text *text, const cpng_counts *expected);

// Spells up to CPNG_BATCH_ROOM of the bytes from index `from` on, and returns the index behind
// them. Needs room for CPNG_BATCH_SEQUENCES; the last one made has length 0.
size_t cpng_parse_optimally(cpng_optimal *state, const cpng_optimal_effort *effort,
                            const cpng_text *text, size_t from, cpng_sequence *sequences,
                            size_t *sequence_count);

#endif
