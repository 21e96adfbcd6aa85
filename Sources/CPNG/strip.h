// The unit of work of the fast path: some whole rows, compressed on their own.
#ifndef CPNG_STRIP_H
#define CPNG_STRIP_H

#include "convert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An image in the caller's memory. `rows` is the top row; `stride` may be negative (bottom-up).
typedef struct {
  const uint8_t *rows;
  ptrdiff_t stride;
  uint32_t width, height;
  uint8_t bit_depth;          // of the PNG: 1, 2, 4, 8 or 16
  uint8_t channels;           // of the PNG: 1 to 4; an index counts as one
  bool indexed;               // palette indexes: filters rarely help
  cpng_convert_row *convert;  // NULL when the rows are PNG rows already
  const void *context;        // passed to `convert`
} cpng_image;

// Scratch memory of one worker: filtered bytes, tokens, tables. Made once, used for any strip.
typedef struct cpng_strip_scratch cpng_strip_scratch;

// NULL when memory is short.
cpng_strip_scratch *cpng_strip_scratch_make(void);
void cpng_strip_scratch_free(cpng_strip_scratch *scratch);

// How many rows a strip of this image has at this level (the last strip may have fewer). It
// depends on nothing else, so that the bytes are the same for every number of threads.
uint32_t cpng_strip_rows(const cpng_image *image, cpng_level level);

// The most bytes that `cpng_strip_compress` can write for `rows` rows of this image.
size_t cpng_strip_bound(const cpng_image *image, uint32_t rows);

// Filters and compresses rows [first, first + rows) into raw deflate blocks that end on a byte
// boundary: with an empty stored block, or with the final block when the rows are the image's
// last. Row first - 1 of the caller's pixels is read for the filters. Returns the bytes written, or
// 0 when memory is short; `adler` receives the Adler-32 of the filtered bytes and `filtered` how
// many there were. `out` has room for `cpng_strip_bound` bytes.
size_t cpng_strip_compress(cpng_strip_scratch *scratch, const cpng_image *image, cpng_level level,
                           uint32_t first, uint32_t rows, uint8_t *out, uint32_t *adler,
                           uint64_t *filtered);

#endif
