// The kernel for every processor, and the measure of the others.
#include "kernel.h"
#include "vector_scalar.h"
#include <zlib.h>

enum { CPNG_FEW_LITERALS = 1 << 30, VECTOR_LITERALS = 1 };

// Literals are written from the general table only.
typedef struct {
  char none;
} vector_codes;

static const vector_codes *codes_for_vectors(vector_codes *room, const cpng_emit_tables *tables) {
  (void)room, (void)tables;
  return NULL;
}

static bool write_vector(cpng_bits *bits, const vector_codes *codes, const uint8_t *bytes,
                         size_t count, bool whole) {
  (void)bits, (void)codes, (void)bytes, (void)count, (void)whole;
  return false;
}

static uint32_t crc(uint32_t crc, const uint8_t *bytes, size_t count) {
  return (uint32_t)crc32_z(crc, bytes, count);
}

static uint32_t adler(uint32_t adler, const uint8_t *bytes, size_t count) {
  return (uint32_t)adler32_z(adler, bytes, count);
}

#include "least_plain.h"

#include "kernel_parts.h"

KERNEL_TABLE(scalar);
