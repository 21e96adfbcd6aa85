// The filters and the kind of matches that suit a strip, found out on a part of it.
#ifndef CPNG_CHOOSE_H
#define CPNG_CHOOSE_H

#include "match.h"
#include "strip_internal.h"

typedef enum {
  CPNG_PLAIN,     // no filter, any match: what was drawn repeats as it is
  CPNG_FILTERED,  // each row's best filter, runs only: what was photographed doesn't
} cpng_manner;

// Chooses for the strip. Needs strip->filtered and room for as many sequences as its bytes, over
// four, plus two; both are left in any state.
cpng_manner cpng_choose_manner(const cpng_strip *strip, cpng_matcher *matcher,
                               cpng_sequence *sequences);

// Filters rows [first, first + count) of the strip to `out`.
void cpng_filter_rows(cpng_manner manner, const cpng_strip *strip, uint32_t first, uint32_t count,
                      uint8_t *out);

#endif
