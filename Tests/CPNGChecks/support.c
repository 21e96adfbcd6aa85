#include "support.h"
#include "CPNG.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *failure(const char *format, ...) {
  static _Thread_local char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint64_t mixed = *state ^ *state >> 29;
  return (uint32_t)(mixed * 0x9e3779b97f4a7c15u >> 32);
}

const char *const *kernel_names(void) {
  static const char *const all[] = {"scalar", "avx2", "avx512", "neon"};
  static _Thread_local const char *present[5];
  const char *before = cpng_kernel_name();
  unsigned count = 0;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (cpng_select_kernel(all[i])) present[count++] = all[i];
  }
  present[count] = NULL;
  cpng_select_kernel(before);
  return present;
}

bool inflate_raw(const uint8_t *bytes, size_t count, uint8_t *out, size_t out_count) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)count};
  uint8_t beyond;  // zlib needs room even for nothing
  if (inflateInit2(&stream, -15) != Z_OK) return false;
  stream.next_out = out;
  stream.avail_out = (uInt)out_count;
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_BUF_ERROR && stream.avail_out == 0) {
    stream.next_out = &beyond;
    stream.avail_out = 1;
    status = inflate(&stream, Z_FINISH);
  }
  bool good = status == Z_STREAM_END && stream.avail_in == 0 && stream.total_out == out_count;
  inflateEnd(&stream);
  return good;
}

static uint8_t predicted(int filter, int left, int up, int corner) {
  int estimate = left + up - corner;
  int by_left = abs(estimate - left), by_up = abs(estimate - up),
      by_corner = abs(estimate - corner);
  switch (filter) {
  case 1:
    return (uint8_t)left;
  case 2:
    return (uint8_t)up;
  case 3:
    return (uint8_t)((left + up) / 2);
  case 4:
    if (by_left <= by_up && by_left <= by_corner) return (uint8_t)left;
    return (uint8_t)(by_up <= by_corner ? up : corner);
  default:
    return 0;
  }
}

bool unfilter(uint8_t *filtered, size_t row_bytes, size_t rows, size_t unit) {
  for (size_t row = 0; row < rows; row++) {
    uint8_t *here = filtered + row * (row_bytes + 1) + 1, *above = here - (row_bytes + 1);
    if (here[-1] > 4) return false;
    for (size_t i = 0; i < row_bytes; i++) {
      int left = i < unit ? 0 : here[i - unit], up = row == 0 ? 0 : above[i];
      int corner = i < unit || row == 0 ? 0 : above[i - unit];
      here[i] = (uint8_t)(here[i] + predicted(here[-1], left, up, corner));
    }
  }
  return true;
}

// Small steps from pixel to pixel, as in a photograph.
static void fill_smooth(uint8_t *bytes, size_t count, size_t row_bytes, uint64_t *state) {
  for (size_t i = 0; i < count; i++) {
    int up = i < row_bytes ? 128 : bytes[i - row_bytes], left = i < 4 ? up : bytes[i - 4];
    bytes[i] = (uint8_t)((up + left) / 2 + (int)(next_random(state) % 7) - 3);
  }
}

// A few shapes again and again on a plain ground, as text has them.
static void fill_text(uint8_t *bytes, size_t count, uint64_t *state) {
  memset(bytes, 250, count);
  uint8_t shapes[8][24];
  for (unsigned i = 0; i < sizeof shapes; i++)
    shapes[i / 24][i % 24] = (uint8_t)next_random(state);
  for (size_t at = 0; at + 64 < count; at += 24 + next_random(state) % 32)
    memcpy(bytes + at, shapes[next_random(state) % 8], 12 + next_random(state) % 12);
}

// Lines of a few shapes, each of some rows, of one ink or another.
static void fill_page(uint8_t *bytes, size_t count, size_t row_bytes, uint64_t *state) {
  enum { SHAPES = 12, WIDTH = 20, ROWS = 5 };
  uint8_t shapes[SHAPES][ROWS][WIDTH];
  for (size_t i = 0; i < sizeof shapes; i++)
    (&shapes[0][0][0])[i] = (uint8_t)(next_random(state) % 3 * 120);
  memset(bytes, 240, count);
  for (size_t line = 0; line * row_bytes < count; line += ROWS + 2) {
    for (size_t left = 8; left + WIDTH <= row_bytes; left += WIDTH + next_random(state) % 3 * 4) {
      unsigned shape = next_random(state) % SHAPES;
      for (size_t row = 0; row < ROWS; row++) {
        size_t at = (line + row) * row_bytes + left;
        if (at + WIDTH <= count) memcpy(bytes + at, shapes[shape][row], WIDTH);
      }
    }
  }
}

// Counts that grow like Fibonacci's numbers, which asks for the longest codes, in any order.
static void fill_fibonacci(uint8_t *bytes, size_t count, uint64_t *state) {
  size_t at = 0, low = 1, high = 1;
  for (uint8_t symbol = 0; at < count; symbol = (uint8_t)(symbol + 6)) {
    for (size_t i = 0; i < low && at < count; i++)
      bytes[at++] = symbol;
    size_t sum = low + high;
    low = high;
    high = sum;
  }
  for (size_t i = count; i > 1; i--) {
    size_t other = next_random(state) % i;
    uint8_t swap = bytes[i - 1];
    bytes[i - 1] = bytes[other];
    bytes[other] = swap;
  }
}

void fill(uint8_t *bytes, size_t count, size_t row_bytes, int kind, uint64_t *state) {
  switch (kind) {
  case 0:  // nothing but one byte
    memset(bytes, 0, count);
    return;
  case 1:  // incompressible
    for (size_t i = 0; i < count; i++)
      bytes[i] = (uint8_t)next_random(state);
    return;
  case 2:
    fill_smooth(bytes, count, row_bytes, state);
    return;
  case 3:
    fill_text(bytes, count, state);
    return;
  case 4:  // almost empty
    memset(bytes, 7, count);
    for (size_t i = 0; i < 1 + count / 4096; i++)
      bytes[next_random(state) % count] = (uint8_t)next_random(state);
    return;
  case 5:
    fill_fibonacci(bytes, count, state);
    return;
  case 6:  // equal pieces, a whole window apart
    for (size_t i = 0; i < count; i++)
      bytes[i] = i < 32768 ? (uint8_t)next_random(state) : bytes[i - 32768];
    return;
  case 7:  // runs of lengths around the longest match, and just above and below the shortest
    for (size_t i = 0; i < count;) {
      size_t run =
          next_random(state) % 3 == 0 ? 250 + next_random(state) % 20 : 1 + next_random(state) % 24;
      uint8_t value = (uint8_t)next_random(state);
      for (; run > 0 && i < count; run--)
        bytes[i++] = value;
    }
    return;
  case 8:  // noise between plain stretches, which take turns
    for (size_t i = 0; i < count; i++)
      bytes[i] = i / 3000 % 2 == 0 ? 9 : (uint8_t)next_random(state);
    return;
  case 9:  // every row equal to the one above
    for (size_t i = 0; i < count; i++)
      bytes[i] = i < row_bytes ? (uint8_t)next_random(state) : bytes[i - row_bytes];
    return;
  case 10:
    fill_page(bytes, count, row_bytes, state);
    return;
  default:  // mostly small values, a few anywhere: rare symbols that a sample misses
    for (size_t i = 0; i < count; i++)
      bytes[i] = next_random(state) % 500 == 0 ? (uint8_t)next_random(state)
                                               : (uint8_t)(next_random(state) % 5);
    return;
  }
}

int cpng_check_contents(void) { return CONTENTS; }
