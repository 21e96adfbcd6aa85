// The checksums of PNG chunks and of zlib streams.
#ifndef CPNG_CHECKSUM_H
#define CPNG_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// Continues a CRC-32 (start with 0) over `count` more bytes.
uint32_t cpng_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

// Continues an Adler-32 (start with 1) over `count` more bytes.
uint32_t cpng_adler32(uint32_t adler, const uint8_t *bytes, size_t count);

#endif
