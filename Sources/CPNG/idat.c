#include "idat.h"
#include "checksum.h"
#include <string.h>
#include <zlib.h>

enum { LENGTH = 4, HEADER = 8, ZLIB_HEADER = 2, ADLER = 4, CRC = 4 };

static void store32(uint8_t *out, uint32_t value) {
  for (unsigned i = 0; i < 4; i++)
    out[i] = (uint8_t)(value >> (24 - 8 * i));
}

size_t cpng_idat_bound(const cpng_idat *idat) {
  return HEADER + ZLIB_HEADER + cpng_strip_bound(&idat->image, idat->rows) + ADLER + CRC;
}

// CM 8, a window of 32 KiB, and as FLEVEL (RFC 1950, section 2.2) how hard the level tries.
static void store_zlib_header(uint8_t *out, cpng_level level) {
  static const uint8_t flags[] = {
      [CPNG_FASTEST] = 0x01, [CPNG_FAST] = 0x5E, [CPNG_BALANCED] = 0x9C, [CPNG_SMALL] = 0xDA};
  out[0] = 0x78;
  out[1] = flags[level];
}

bool cpng_idat_compress(cpng_idat *idat, cpng_strip_scratch *scratch, uint8_t *out) {
  size_t count = HEADER;
  memcpy(out + LENGTH, "IDAT", 4);
  if (idat->starts) {
    store_zlib_header(out + count, idat->level);
    count += ZLIB_HEADER;
  }
  size_t compressed = cpng_strip_compress(scratch, &idat->image, idat->level, idat->first,
                                          idat->rows, out + count, &idat->adler, &idat->filtered);
  if (compressed == 0) return false;
  idat->count = count + compressed;
  idat->crc = cpng_crc32(0, out + LENGTH, idat->count - LENGTH);
  return true;
}

void cpng_idat_finish(cpng_idat *idat, uint8_t *out, uint32_t *adler) {
  *adler = idat->starts ? idat->adler
                        : (uint32_t)adler32_combine(*adler, idat->adler, (z_off_t)idat->filtered);
  if (idat->ends) {
    store32(out + idat->count, *adler);
    idat->crc = cpng_crc32(idat->crc, out + idat->count, ADLER);
    idat->count += ADLER;
  }
  store32(out, (uint32_t)(idat->count - HEADER));
  store32(out + idat->count, idat->crc);
  idat->count += CRC;
}
