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

#include "emit_kernel.h"
#include "filter_kernel.h"
#include "least_plain.h"
#include "runs_kernel.h"

static uint32_t crc(uint32_t crc, const uint8_t *bytes, size_t count) {
  return (uint32_t)crc32_z(crc, bytes, count);
}

static uint32_t adler(uint32_t adler, const uint8_t *bytes, size_t count) {
  return (uint32_t)adler32_z(adler, bytes, count);
}

const cpng_kernel_table cpng_kernel_scalar = {
    .name = "scalar",
    .filter_row = {filter_none, filter_sub, filter_up, filter_average, filter_paeth},
    .filter_costs = filter_costs,
    .find_runs = find_runs,
    .find_repeats = find_repeats,
    .write_tokens = write_tokens,
    .least_sum = least_sum,
    .crc32 = crc,
    .adler32 = adler,
};
