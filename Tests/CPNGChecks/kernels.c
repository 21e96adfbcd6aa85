#include "CPNG.h"
#include "checksum.h"
#include "filter.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *cpng_check_checksums(void) {
  enum { SIZE = 1 << 18 };
  const char *problem = NULL, *before = cpng_kernel_name();
  uint64_t state = 23;
  uint8_t *bytes = malloc(SIZE);
  for (const char *const *name = kernel_names(); *name != NULL && problem == NULL; name++) {
    cpng_select_kernel(*name);
    for (unsigned round = 0; round < 700 && problem == NULL; round++) {
      size_t from = next_random(&state) % 64;
      size_t count = round < 400 ? round : next_random(&state) % (SIZE - from);
      uint32_t start = round % 3 == 0 ? 1 : next_random(&state);
      // All ones make the largest sums.
      for (size_t i = 0; i < SIZE && round % 50 == 0; i++)
        bytes[i] = round == 650 ? 255 : (uint8_t)next_random(&state);
      uint32_t adler = start % 65521 | (start >> 16) % 65521 << 16;
      if (cpng_crc32(start, bytes + from, count) != crc32_z(start, bytes + from, count))
        problem = failure("%s: CRC-32 of %zu bytes", *name, count);
      if (cpng_adler32(adler, bytes + from, count) != adler32_z(adler, bytes + from, count))
        problem = failure("%s: Adler-32 of %zu bytes", *name, count);
    }
  }
  cpng_select_kernel(before);
  free(bytes);
  return problem;
}

static const char *check_row(const char *name, size_t count, size_t unit, uint64_t *state) {
  // A row of its own size each, so that a sanitizer sees a byte read or written too many.
  uint8_t *row = malloc(count), *above = malloc(count), *out = malloc(count);
  uint8_t *rows = malloc(2 * (count + 1));
  const char *problem = NULL;
  for (size_t i = 0; i < count; i++) {
    row[i] = (uint8_t)next_random(state);
    above[i] = (uint8_t)(row[i] + next_random(state) % 9);
  }
  for (int filter = 0; filter < 5 && problem == NULL; filter++) {
    cpng_filter_row((cpng_filter)filter, out, row, above, count, unit);
    rows[0] = 0;
    memcpy(rows + 1, above, count);
    rows[count + 1] = (uint8_t)filter;
    memcpy(rows + count + 2, out, count);
    if (!unfilter(rows, count, 2, unit) || memcmp(rows + count + 2, row, count) != 0)
      problem = failure("%s: filter %d, %zu bytes, %zu a pixel", name, filter, count, unit);
  }
  for (size_t step = 1; step <= 4 && problem == NULL; step++) {
    uint64_t costs[5], scalar[5];
    cpng_filter_costs(costs, row, above, count, unit, step);
    cpng_kernel_scalar.filter_costs(scalar, row, above, count, unit, step);
    if (memcmp(costs, scalar, sizeof costs) != 0)
      problem = failure("%s: costs of %zu bytes, step %zu", name, count, step);
  }
  free(row);
  free(above);
  free(out);
  free(rows);
  return problem;
}

const char *cpng_check_filters(void) {
  static const size_t units[] = {1, 2, 3, 4, 6, 8};
  const char *problem = NULL, *before = cpng_kernel_name();
  uint64_t state = 29;
  for (const char *const *name = kernel_names(); *name != NULL && problem == NULL; name++) {
    cpng_select_kernel(*name);
    for (size_t count = 1; count <= 3000 && problem == NULL; count += count < 300 ? 1 : 97) {
      for (unsigned i = 0; i < 6 && problem == NULL; i++)
        problem = check_row(*name, count, units[i], &state);
    }
  }
  cpng_select_kernel(before);
  return problem;
}
