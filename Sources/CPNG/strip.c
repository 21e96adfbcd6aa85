#include "checksum.h"
#include "kernel.h"
#include "runs.h"
#include "strip_internal.h"
#include <stdlib.h>

// A level: how large its strips are, and who compresses them.
static const struct {
  size_t strip_bytes;
  cpng_encode_strip *encode;
} levels[] = {
    [CPNG_FASTEST] = {192 << 10, cpng_encode_fastest},
    [CPNG_FAST] = {128 << 10, cpng_encode_fast},
    [CPNG_BALANCED] = {256 << 10, cpng_encode_balanced},
    [CPNG_SMALL] = {256 << 10, cpng_encode_small},
};

static size_t row_bytes(const cpng_image *image) {
  return ((size_t)image->width * image->channels * image->bit_depth + 7) / 8;
}

cpng_strip_scratch *cpng_strip_scratch_make(void) { return calloc(1, sizeof(cpng_strip_scratch)); }

void cpng_strip_scratch_free(cpng_strip_scratch *scratch) {
  if (scratch == NULL) return;
  free(scratch->converted.memory);
  free(scratch->zeros.memory);
  free(scratch->filtered.memory);
  free(scratch->sequences.memory);
  free(scratch->marks.memory);
  for (unsigned level = 0; level < 4; level++)
    free(scratch->level[level].memory);
  free(scratch);
}

void *cpng_area_reserve(cpng_area *area, size_t size) {
  if (size <= area->capacity) return area->memory;
  free(area->memory);
  area->memory = malloc(size);
  area->capacity = area->memory == NULL ? 0 : size;
  return area->memory;
}

bool cpng_spell_with_runs(cpng_strip_scratch *scratch, cpng_block *block, cpng_sequence *sequences,
                          cpng_shortest_run shortest) {
  uint32_t heads[1 << CPNG_HEAD_BITS];
  uint8_t *marks = cpng_area_reserve(&scratch->marks, block->count / 8 + 64);
  if (marks == NULL) return false;
  block->sequence_count =
      cpng_kernel()->find_runs(sequences, heads, marks, block->bytes, block->count, shortest);
  return true;
}

void cpng_spell_with_repeats(cpng_block *block, cpng_sequence *sequences, size_t unit,
                             size_t stride) {
  uint32_t heads[2 << CPNG_HEAD_BITS];
  cpng_text text = {block->bytes, block->count, unit, stride};
  block->sequence_count = cpng_kernel()->find_repeats(sequences, heads, &text);
}

uint32_t cpng_strip_rows(const cpng_image *image, cpng_level level) {
  size_t rows = levels[level].strip_bytes / (row_bytes(image) + 1);
  if (rows == 0) rows = 1;
  return rows < image->height ? (uint32_t)rows : image->height;
}

size_t cpng_strip_bound(const cpng_image *image, uint32_t rows) {
  // No block is longer than its stored form, and a level makes at most one per 4 KiB and two more.
  size_t filtered = (row_bytes(image) + 1) * rows;
  return filtered + (filtered / 4096 + 4) * 6 + CPNG_EMIT_SLACK + 64;
}

// Points the strip at its rows: the caller's, or a converted copy of them.
static bool find_rows(cpng_strip *strip, const cpng_image *image, uint32_t first) {
  const uint8_t *rows = image->rows + (ptrdiff_t)first * image->stride;
  if (image->convert == NULL) {
    strip->rows = rows;
    strip->stride = image->stride;
    if (first > 0) strip->above = rows - image->stride;
  } else {
    uint8_t *out = cpng_area_reserve(&strip->scratch->converted,
                                     strip->row_bytes * ((size_t)strip->row_count + 1));
    if (out == NULL) return false;
    if (first > 0) {
      image->convert(image->context, out, rows - image->stride, image->width);
      strip->above = out;
    }
    strip->rows = out + strip->row_bytes;
    strip->stride = (ptrdiff_t)strip->row_bytes;
    for (uint32_t row = 0; row < strip->row_count; row++)
      image->convert(image->context, out + strip->row_bytes * ((size_t)row + 1),
                     rows + (ptrdiff_t)row * image->stride, image->width);
  }
  if (first == 0) {
    uint8_t *zeros = cpng_area_reserve(&strip->scratch->zeros, strip->row_bytes);
    if (zeros == NULL) return false;
    memset(zeros, 0, strip->row_bytes);
    strip->above = zeros;
  }
  return true;
}

size_t cpng_strip_compress(cpng_strip_scratch *scratch, const cpng_image *image, cpng_level level,
                           uint32_t first, uint32_t rows, uint8_t *out, uint32_t *adler,
                           uint64_t *filtered) {
  size_t unit = (size_t)image->channels * image->bit_depth / 8;
  cpng_strip strip = {
      .row_count = rows,
      .row_bytes = row_bytes(image),
      .unit = unit == 0 ? 1 : unit,
      .prefer_plain = image->indexed || image->bit_depth < 8,
      .last = first + rows == image->height,
      .scratch = scratch,
  };
  strip.filtered_count = (strip.row_bytes + 1) * rows;
  strip.filtered = cpng_area_reserve(&scratch->filtered, strip.filtered_count + CPNG_PADDING);
  if (strip.filtered == NULL || !find_rows(&strip, image, first)) return 0;
  cpng_bits bits = {.next = out};
  if (!levels[level].encode(&strip, &bits)) return 0;
  if (strip.last)
    cpng_align(&bits);
  else
    cpng_write_empty(&bits, false);
  *adler = cpng_adler32(1, strip.filtered, strip.filtered_count);
  *filtered = strip.filtered_count;
  return (size_t)(bits.next - out);
}
