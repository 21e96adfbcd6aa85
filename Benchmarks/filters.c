// PNG's row filters as a person would assemble them in front of a fast deflate: plain loops that a
// compiler makes vectors of. Rows come packed, each goes out behind the number of its filter.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner) {
  int16_t a = (int16_t)(above - corner), b = (int16_t)(left - corner), c = (int16_t)(a + b);
  a = (int16_t)(a < 0 ? -a : a);
  b = (int16_t)(b < 0 ? -b : b);
  c = (int16_t)(c < 0 ? -c : c);
  uint8_t best = b <= c ? above : corner;
  return a <= b && a <= c ? left : best;
}

// `row` and `above` have `step` zeros before their first byte.
static void apply(int filter, const uint8_t *row, const uint8_t *above, size_t step, size_t count,
                  uint8_t *restrict out) {
  const uint8_t *left = row - step, *corner = above - step;
  switch (filter) {
  case 0:
    memcpy(out, row, count);
    break;
  case 1:
    for (size_t i = 0; i < count; i++)
      out[i] = (uint8_t)(row[i] - left[i]);
    break;
  case 2:
    for (size_t i = 0; i < count; i++)
      out[i] = (uint8_t)(row[i] - above[i]);
    break;
  case 3:
    for (size_t i = 0; i < count; i++)
      out[i] = (uint8_t)(row[i] - ((left[i] + above[i]) >> 1));
    break;
  default:
    for (size_t i = 0; i < count; i++)
      out[i] = (uint8_t)(row[i] - paeth(left[i], above[i], corner[i]));
  }
}

static uint64_t cost(const uint8_t *bytes, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    int8_t value = (int8_t)bytes[i];
    sum += (uint8_t)(value < 0 ? -value : value);
  }
  return sum;
}

// Filters all rows with one filter, or each with the one that gives the smallest sum of absolute
// differences (5). Returns 0 when memory runs out.
int filter_rows(const uint8_t *rows, size_t height, size_t count, size_t step, int filter,
                uint8_t *out) {
  uint8_t *lines = calloc(2, step + count), *trial = malloc(count);
  if (lines == NULL || trial == NULL) {
    free(lines);
    free(trial);
    return 0;
  }
  uint8_t *row = lines + step, *above = row + step + count;
  for (size_t y = 0; y < height; y++, out += count + 1) {
    memcpy(row, rows + y * count, count);
    if (filter < 5) {
      *out = (uint8_t)filter;
      apply(filter, row, above, step, count, out + 1);
    } else {
      uint64_t lowest = UINT64_MAX;
      for (int candidate = 0; candidate < 5; candidate++) {
        apply(candidate, row, above, step, count, trial);
        uint64_t sum = cost(trial, count);
        if (sum >= lowest) continue;
        lowest = sum;
        *out = (uint8_t)candidate;
        memcpy(out + 1, trial, count);
      }
    }
    uint8_t *swap = row;
    row = above;
    above = swap;
  }
  free(lines);
  free(trial);
  return 1;
}
