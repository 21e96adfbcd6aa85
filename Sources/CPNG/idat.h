// A strip as an IDAT chunk: what surrounds its deflate blocks.
#ifndef CPNG_IDAT_H
#define CPNG_IDAT_H

#include "cpng_writer.h"
#include "strip.h"

// Some rows of an image and, once they are compressed, what is to be known about them.
typedef struct {
  cpng_image image;  // the whole one, or a window of it
  cpng_level level;
  uint32_t first, rows;
  bool starts, ends;  // whether zlib's header goes before it and the checksum behind it
  size_t count;       // bytes of the chunk so far
  uint32_t crc;
  uint32_t adler;
  uint64_t filtered;
} cpng_idat;

// The most bytes that the chunk may have.
size_t cpng_idat_bound(const cpng_idat *idat);

// Compresses the strip into `out`, behind the place of the chunk's header. False when memory is
// short.
bool cpng_idat_compress(cpng_idat *idat, cpng_strip_scratch *scratch, uint8_t *out);

// Completes the chunk in `out`. Must be called in the order of the strips: `adler` is the checksum
// of those before this one.
void cpng_idat_finish(cpng_idat *idat, uint8_t *out, uint32_t *adler);

#endif
