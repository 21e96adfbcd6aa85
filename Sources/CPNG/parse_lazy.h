// Matches found one after another, each put off by a byte as long as the next one is better.
#ifndef CPNG_PARSE_LAZY_H
#define CPNG_PARSE_LAZY_H

#include "match.h"
#include "tokens.h"

// Shorter ones rarely pay.
enum { CPNG_SHORTEST_MATCH = 4 };

// How much is tried.
typedef struct {
  uint32_t depth;     // candidates of one hash
  uint32_t enough;    // a match of this length ends the search
  uint32_t lazy;      // a match of this length is not put off
  uint32_t inside;    // bytes inside a match that become candidates
  uint32_t patience;  // the power of two of misses after which every other byte is skipped
} cpng_effort;

// Spells `count` bytes; `unit` and `stride` are the distances to the pixel at the left and to the
// one above. Needs room for count /
// CPNG_SHORTEST_MATCH + 2 sequences; returns how many there are. CPNG_PADDING
// bytes behind the last one may be read.
size_t cpng_parse_lazily(cpng_matcher *matcher, const cpng_effort *effort, const uint8_t *bytes,
                         size_t count, size_t unit, size_t stride, cpng_sequence *sequences);

#endif
