// Runs of equal bytes, the cheapest matches to find and to write.
#ifndef CPNG_RUNS_H
#define CPNG_RUNS_H

#include "deflate.h"
#include "tokens.h"

enum {
  CPNG_SHORTEST_RUN = 8,  // at fewer bytes, literals cost about as little as the match
  // Where most bytes are literals, short runs hold up the literals' vectors more than they save.
  CPNG_SHORTEST_DENSE_RUN = 16,
  CPNG_DENSE_SHARE = 4,  // one in so many bytes differs from the one before
  CPNG_ANCHOR_BITS = 12,
  CPNG_FEWEST_CHANGES = 6,
  CPNG_SHORTEST_REPEAT = 6,
  CPNG_REPEAT_BITS = 13,
};

// Adds a match of any length of 3 or more, cut into pieces that deflate can express, after
// `literals` literals. Returns the end of the sequences.
static inline cpng_sequence *cpng_add_match(cpng_sequence *next, size_t literals, size_t length,
                                            unsigned distance) {
  while (length > CPNG_MAX_MATCH) {
    size_t piece =
        length - CPNG_MAX_MATCH < CPNG_MIN_MATCH ? length - CPNG_MIN_MATCH : CPNG_MAX_MATCH;
    *next++ = (cpng_sequence){(uint32_t)literals, (uint16_t)piece, (uint16_t)distance};
    literals = 0;
    length -= piece;
  }
  *next++ = (cpng_sequence){(uint32_t)literals, (uint16_t)length, (uint16_t)distance};
  return next;
}

#endif
