// Turns a row of the caller's pixels into a row of PNG samples.
#ifndef CPNG_CONVERT_H
#define CPNG_CONVERT_H

#include <stddef.h>
#include <stdint.h>

// Writes `width` pixels of one PNG row (big-endian samples, PNG channel order, packed from the
// high bit for depths under 8) to `out`, from one row of the caller's memory. `context` is what
// the converter needs to know beyond that, such as a palette to look colours up in. NULL in place
// of a converter means that the caller's rows already are PNG rows and must not be copied.
typedef void cpng_convert_row(const void *context, uint8_t *restrict out,
                              const uint8_t *restrict in, size_t width);

#endif
