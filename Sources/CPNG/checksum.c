#include "checksum.h"
#include "kernel.h"

uint32_t cpng_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
  return cpng_kernel()->crc32(crc, bytes, count);
}

uint32_t cpng_adler32(uint32_t adler, const uint8_t *bytes, size_t count) {
  return cpng_kernel()->adler32(adler, bytes, count);
}
