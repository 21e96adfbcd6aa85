// What the checks share: random numbers, failures, and decoding by zlib and the PNG specification.
#ifndef CPNG_CHECKS_SUPPORT_H
#define CPNG_CHECKS_SUPPORT_H

#include "CPNGChecks.h"
#include "kernel.h"
#include "strip.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Says what went wrong, for a check to return.
const char *failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A number that depends on nothing but `state`.
uint32_t next_random(uint64_t *state);

// The kernels of this processor, the scalar one first; NULL ends them.
const char *const *kernel_names(void);

// Inflates raw deflate data that must end exactly at its end. False if it can't, or doesn't.
bool inflate_raw(const uint8_t *bytes, size_t count, uint8_t *out, size_t out_count);

// Undoes the filters in place: `rows` rows of a filter byte and `row_bytes` more. False for a
// filter that doesn't exist.
bool unfilter(uint8_t *filtered, size_t row_bytes, size_t rows, size_t unit);

// Fills memory with content number `kind`.
enum { CONTENTS = 12 };
void fill(uint8_t *bytes, size_t count, size_t row_bytes, int kind, uint64_t *state);

#endif
