// Checks of the C half's inner parts, which the module does not export. Each returns NULL, or says
// what went wrong in a text that lives until the next check on the same thread.
#ifndef CPNG_CHECKS_H
#define CPNG_CHECKS_H

#include <stdint.h>

// Images of one format, of every width from `from` to `to`, in several contents and strides, at
// `level` (0 to 3): every kernel writes the same bytes, which inflate to the right pixels.
const char *_Nullable cpng_check_widths(int channels, int bit_depth, int level, uint32_t from,
                                        uint32_t to);

// One image of many strips, or of one enormous row, with content number `content`.
const char *_Nullable cpng_check_large(int content, int level, uint32_t width, uint32_t height);

// How many contents there are.
int cpng_check_contents(void);

// Rows that a converter makes are compressed like rows that need none.
const char *_Nullable cpng_check_converter(int level);

// Code lengths for counts that ask for the longest codes, within every limit.
const char *_Nullable cpng_check_huffman(void);

// Blocks with any tokens take exactly the planned bits, and inflate to their bytes.
const char *_Nullable cpng_check_blocks(void);

// Sampled counts that miss what the block holds: it is stored rather than overrun its room.
const char *_Nullable cpng_check_misjudged(void);

// No run is left out, and every kernel finds the same.
const char *_Nullable cpng_check_runs(void);

// Whatever is in the memory behind the last byte, the same runs and repeats are found.
const char *_Nullable cpng_check_behind(void);

// Runs that repeat take no longer a byte the more of them there are.
const char *_Nullable cpng_check_repeated_runs(void);

// A match finder whose positions run out begins again without the places it knew.
const char *_Nullable cpng_check_positions(void);

// Checksums and filters of every kernel against zlib and the definition.
const char *_Nullable cpng_check_checksums(void);
const char *_Nullable cpng_check_filters(void);

#endif
