// Huffman codes that vector instructions can look up. The literals 16 to 239 share their code
// lengths by sixteens, so that a literal's upper half says where its code begins and its lower half
// how far behind that it is; those around zero, most of a filtered image, have lengths of their
// own. Against the best code this loses a part in a thousand of photographs.
#ifndef CPNG_GROUPED_H
#define CPNG_GROUPED_H

#include "emit.h"

// Like `cpng_plan_block` with codes of that kind, at most CPNG_MAX_BITS bits long.
void cpng_plan_grouped(cpng_plan *plan, const cpng_counts *counts, size_t bytes);

// Tables of 16 bytes, which hold zero where they don't apply, so that look-ups can be joined by or.
// The code of a literal in a group is a prefix, then 4 bits: the lower half plus `offset`. If that
// carries, the prefix is the next one.
typedef struct {
  // By the upper half, for groups.
  uint8_t length[16], offset[16];
  uint8_t prefix_low[16], prefix_high[16], next_low[16], next_high[16];
  uint8_t scale_low[16], scale_high[16];                    // 2 to the power of the prefix's length
  uint8_t first_length[16], first_low[16], first_high[16];  // of the literals 0 to 15
  uint8_t last_length[16], last_low[16], last_high[16];     // 255 down to 240
} cpng_groups;

// Fills the tables from a grouped plan's code lengths and codes.
void cpng_group_tables(cpng_groups *groups, const uint8_t *lengths, const uint16_t *codes);

#endif
