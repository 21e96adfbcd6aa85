// Matches found one after another, each put off by a byte as long as the next one is better.
#ifndef CPNG_PARSE_LAZY_H
#define CPNG_PARSE_LAZY_H

#include "emit.h"
#include "match.h"

// Shorter ones rarely pay.
enum { CPNG_SHORTEST_MATCH = 4 };

// How much is tried.
typedef struct {
  uint32_t skipped;   // bits that the hash leaves out of 8 bytes
  uint32_t shortest;  // bytes of a match, at least CPNG_SHORTEST_MATCH
  uint32_t exact;     // shorter matches are measured against the very literals they replace
  uint32_t depth;     // candidates of one hash
  uint32_t enough;    // a match of this length ends the search
  uint32_t lazy;      // a match of this length is not put off
  uint32_t inside;    // bytes inside a match that become candidates
  uint32_t patience;  // the power of two of misses after which every other byte is skipped
} cpng_effort;

// Spells a text whose tokens' counts are `expected` to be like these; NULL if nothing is known.
// Needs room for count / CPNG_SHORTEST_MATCH + 2 sequences; returns how many there are.
size_t cpng_parse_lazily(cpng_matcher *matcher, const cpng_effort *effort, const cpng_text *text,
                         const cpng_counts *expected, cpng_sequence *sequences);

#endif
