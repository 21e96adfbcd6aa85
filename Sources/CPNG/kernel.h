// The inner loops that exist once per instruction set, and the choice among them.
#ifndef CPNG_KERNEL_H
#define CPNG_KERNEL_H

#include "emit.h"
#include "filter.h"
#include "grouped.h"
#include "runs.h"
#include <stdbool.h>

// A block's codes, as its tokens are written with them.
typedef struct {
  // Each symbol's code in the low 16 bits, and its length above.
  uint32_t literals[CPNG_ALPHABET_MAX], distances[32];
  bool grouped;
  cpng_groups groups;  // if grouped
} cpng_emit_tables;

// Every kernel gives the same results, byte for byte.
typedef struct {
  const char *name;
  void (*filter_row[5])(uint8_t *restrict out, const uint8_t *restrict row,
                        const uint8_t *restrict above, size_t count, size_t unit);
  void (*filter_costs)(uint64_t costs[5], const uint8_t *row, const uint8_t *above, size_t count,
                       size_t unit, size_t step);
  // Spells `count` bytes with runs as matches, and with longer matches behind runs; returns how
  // many sequences that took. CPNG_PADDING bytes behind the last one may be read, whatever they
  // hold. `heads` has room for 2^CPNG_HEAD_BITS, `marks` for count / 8 + 64 bytes.
  size_t (*find_runs)(cpng_sequence *sequences, uint32_t *heads, uint8_t *marks,
                      const uint8_t *bytes, size_t count, cpng_shortest_run shortest);
  // The same with every match of CPNG_SHORTEST_REPEAT bytes that it comes across. `heads` has room
  // for twice as many.
  size_t (*find_repeats)(cpng_sequence *sequences, uint32_t *heads, const cpng_text *text);
  // Writes a block's tokens and its end. False, with `bits` as it was, when `end` was passed: by up
  // to CPNG_EMIT_SLACK bytes.
  bool (*write_tokens)(cpng_bits *bits, const cpng_block *block, const cpng_emit_tables *tables,
                       const uint8_t *end);
  // Finds the least from[length] + costs[length] of the lengths from `first` to `last`, at least 8
  // of them: returns the first such length and stores the sum, which is below 2^31.
  uint32_t (*least_sum)(const uint32_t *from, const uint16_t *costs, uint32_t first, uint32_t last,
                        uint32_t *sum);
  uint32_t (*crc32)(uint32_t crc, const uint8_t *bytes, size_t count);
  uint32_t (*adler32)(uint32_t adler, const uint8_t *bytes, size_t count);
} cpng_kernel_table;

// The kernel in use.
const cpng_kernel_table *cpng_kernel(void);

extern const cpng_kernel_table cpng_kernel_scalar;
#if defined(__x86_64__)
extern const cpng_kernel_table cpng_kernel_avx2, cpng_kernel_avx512;
#elif defined(__aarch64__)
extern const cpng_kernel_table cpng_kernel_neon;
#endif

#endif
