// Where one block ends and the next begins.
#ifndef CPNG_SPLIT_H
#define CPNG_SPLIT_H

#include "emit.h"

// Writes `block` as one or several blocks, split where the statistics change enough to pay for
// another header. `sequences` is used as scratch and comes back as it was.
void cpng_write_split(cpng_bits *bits, const cpng_block *block, cpng_sequence *sequences,
                      unsigned limit, bool final);

#endif
