// The filters that suit a strip, found out on a part of it.
#ifndef CPNG_CHOOSE_H
#define CPNG_CHOOSE_H

#include "match.h"
#include "strip_internal.h"

// One filter for all rows, or each row's best. Without filters any match is looked for: what was
// drawn repeats as it is. With them there are runs at least: what was photographed does not repeat.
typedef enum {
  CPNG_PLAIN = CPNG_NONE,
  CPNG_ALL_SUB = CPNG_SUB,
  CPNG_ALL_UP = CPNG_UP,
  CPNG_ALL_AVERAGE = CPNG_AVERAGE,
  CPNG_ALL_PAETH = CPNG_PAETH,
  CPNG_BY_ROW,        // by a look at all of it
  CPNG_BY_ROW_GLANCE  // at a quarter of it
} cpng_manner;

// Chooses between CPNG_PLAIN and CPNG_BY_ROW_GLANCE; indexes, too, may gain from differences. Needs
// strip->filtered and room for a sequence for every CPNG_SHORTEST_MATCH of its bytes, plus two;
// both are left in any state.
cpng_manner cpng_choose_manner(const cpng_strip *strip, cpng_matcher *matcher,
                               cpng_sequence *sequences);

// The best manner with filters, if there are runs only. Needs the same room.
cpng_manner cpng_refine_manner(const cpng_strip *strip, cpng_sequence *sequences);

// Filters rows [first, first + count) of the strip to `out`.
void cpng_filter_rows(cpng_manner manner, const cpng_strip *strip, uint32_t first, uint32_t count,
                      uint8_t *out);

// The counts of a block, and of each kind of match a few more: those that it lacks are given a
// chance.
void cpng_expect_matches(cpng_counts *counts, const cpng_block *block);

// What the block takes, in bits.
uint64_t cpng_block_bits(const cpng_block *block);

#endif
