// Runs of equal bytes, the cheapest matches to find and to write.
#ifndef CPNG_RUNS_H
#define CPNG_RUNS_H

#include "deflate.h"
#include "tokens.h"

// The shortest run that is looked for. Each costs a jump that nobody can predict: twice, when it is
// found and when it is written.
typedef enum {
  CPNG_RUNS_OF_8 = 8,  // at fewer bytes, literals cost about as little as the match
  CPNG_RUNS_OF_16 = 16,
  CPNG_RUNS_OF_32 = 32,
} cpng_shortest_run;

enum {
  CPNG_DENSE_SHARE = 4,  // one in so many bytes differs from the one before
  CPNG_FEWEST_CHANGES = 6,
  CPNG_SHORTEST_REPEAT = 8,  // shorter ones cost more than the literals they replace, mostly
  CPNG_HEAD_BITS = 12,
  CPNG_LONGEST_RUN = UINT16_MAX - CPNG_MIN_MATCH,
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

// The same for a run, which need not be cut like that.
static inline cpng_sequence *cpng_add_run(cpng_sequence *next, size_t literals, size_t length) {
  for (; length > UINT16_MAX; length -= CPNG_LONGEST_RUN, literals = 0)
    *next++ = (cpng_sequence){(uint32_t)literals, CPNG_LONGEST_RUN, 1};
  *next++ = (cpng_sequence){(uint32_t)literals, (uint16_t)length, 1};
  return next;
}

#endif
