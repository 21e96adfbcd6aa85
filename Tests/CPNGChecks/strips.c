#include "CPNG.h"
#include "checksum.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct {
  uint8_t *memory;  // the caller's rows, with their padding
  cpng_image image;
  size_t row_bytes, unit;
} sample;

// Layouts of the caller's rows: without padding, with it, and bottom-up.
enum { STRIDES = 3 };

static sample make(uint32_t width, uint32_t height, int channels, int bit_depth, int stride,
                   int content, uint64_t seed) {
  size_t row_bytes = ((size_t)width * (size_t)(channels * bit_depth) + 7) / 8;
  size_t step = row_bytes + (stride == 0 ? 0 : 13);
  // Exactly as large as the rows, so that a sanitizer sees a byte read too many.
  size_t size = step * (height - 1) + row_bytes;
  sample made = {.memory = malloc(size), .row_bytes = row_bytes};
  fill(made.memory, size, step, content, &seed);
  made.unit = (size_t)(channels * bit_depth) / 8;
  if (made.unit == 0) made.unit = 1;
  made.image = (cpng_image){
      .rows = stride == 2 ? made.memory + step * (height - 1) : made.memory,
      .stride = stride == 2 ? -(ptrdiff_t)step : (ptrdiff_t)step,
      .width = width,
      .height = height,
      .bit_depth = (uint8_t)bit_depth,
      .channels = (uint8_t)channels,
      .indexed = channels == 1 && bit_depth == 8 && content % 2 == 1,
  };
  return made;
}

typedef struct {
  uint8_t *bytes;  // raw deflate
  size_t count;
  uint32_t adler;
  uint64_t filtered;
} result;

static const char *compress_strips(const cpng_image *image, cpng_level level, result *out) {
  uint32_t rows = cpng_strip_rows(image, level);
  size_t strips = (image->height + rows - 1) / rows;
  *out = (result){.bytes = malloc(strips * cpng_strip_bound(image, rows)), .adler = 1};
  cpng_strip_scratch *scratch = cpng_strip_scratch_make();
  const char *problem = NULL;
  for (uint32_t first = 0; first < image->height && problem == NULL; first += rows) {
    uint32_t count = image->height - first < rows ? image->height - first : rows;
    size_t bound = cpng_strip_bound(image, count);
    // Of its own, to see that the bound holds.
    uint8_t *piece = malloc(bound);
    uint32_t adler;
    uint64_t filtered;
    size_t made =
        cpng_strip_compress(scratch, image, level, first, count, piece, &adler, &filtered);
    if (made == 0 || made > bound) problem = failure("strip at row %u: %zu bytes", first, made);
    if (made <= bound) memcpy(out->bytes + out->count, piece, made);
    free(piece);
    out->count += made;
    out->adler = (uint32_t)adler32_combine(out->adler, adler, (z_off_t)filtered);
    out->filtered += filtered;
  }
  cpng_strip_scratch_free(scratch);
  return problem;
}

// Inflates, undoes the filters and compares with the caller's rows.
static const char *compare(const sample *sample, const result *result) {
  const cpng_image *image = &sample->image;
  size_t count = (sample->row_bytes + 1) * image->height;
  if (result->filtered != count) return failure("%zu bytes filtered", (size_t)result->filtered);
  uint8_t *filtered = malloc(count);
  const char *problem = NULL;
  if (!inflate_raw(result->bytes, result->count, filtered, count))
    problem = failure("does not inflate");
  else if (adler32_z(1, filtered, count) != result->adler)
    problem = failure("wrong checksum");
  else if (!unfilter(filtered, sample->row_bytes, image->height, sample->unit))
    problem = failure("unknown filter");
  for (uint32_t row = 0; row < image->height && problem == NULL; row++) {
    if (memcmp(filtered + (sample->row_bytes + 1) * row + 1,
               image->rows + (ptrdiff_t)row * image->stride, sample->row_bytes) != 0)
      problem = failure("row %u differs", row);
  }
  free(filtered);
  return problem;
}

// The scalar kernel's bytes are decoded, the others' compared with them.
static const char *check_sample(const sample *sample, cpng_level level) {
  const char *problem = NULL, *before = cpng_kernel_name();
  result first = {0};
  for (const char *const *name = kernel_names(); *name != NULL && problem == NULL; name++) {
    cpng_select_kernel(*name);
    result result;
    problem = compress_strips(&sample->image, level, &result);
    if (problem == NULL && first.bytes == NULL) {
      problem = compare(sample, &result);
      first = result;
      continue;
    }
    if (problem == NULL && (result.count != first.count || result.adler != first.adler ||
                            memcmp(result.bytes, first.bytes, first.count) != 0))
      problem = failure("kernel %s: other bytes than scalar", *name);
    free(result.bytes);
  }
  free(first.bytes);
  cpng_select_kernel(before);
  return problem;
}

static const char *check_image(uint32_t width, uint32_t height, int channels, int bit_depth,
                               int stride, int content, int level) {
  uint64_t seed = width * 31 + height * 7 + (uint32_t)content;
  sample sample = make(width, height, channels, bit_depth, stride, content, seed);
  const char *problem = check_sample(&sample, (cpng_level)level);
  free(sample.memory);
  if (problem == NULL) return NULL;
  char text[160];  // `failure` gives its only memory away
  strncpy(text, problem, sizeof text - 1);
  text[sizeof text - 1] = 0;
  return failure("%u by %u, %d channels of %d bits, stride %d, content %d, level %d: %s", width,
                 height, channels, bit_depth, stride, content, level, text);
}

const char *cpng_check_widths(int channels, int bit_depth, int level, uint32_t from, uint32_t to) {
  for (uint32_t width = from; width <= to; width++) {
    // All contents and strides come by within a few widths.
    for (uint32_t i = 0; i < 2; i++) {
      const char *problem =
          check_image(width, 1 + (width + i) % 5, channels, bit_depth, (int)((width + i) % STRIDES),
                      (int)((width * 2 + i) % CONTENTS), level);
      if (problem != NULL) return problem;
    }
  }
  return NULL;
}

const char *cpng_check_large(int content, int level, uint32_t width, uint32_t height) {
  const char *problem = check_image(width, height, 3, 8, 0, content, level);
  return problem != NULL ? problem : check_image(width, height, 1, 8, 2, content, level);
}

static void invert(const void *context, uint8_t *restrict out, const uint8_t *restrict in,
                   size_t width) {
  size_t channels = *(const size_t *)context;
  for (size_t i = 0; i < width * channels; i++)
    out[i] = (uint8_t)~in[i];
}

const char *cpng_check_converter(int level) {
  static const size_t channels = 3;
  sample sample = make(301, 400, 3, 8, 1, 2, 5);
  size_t size = (sample.row_bytes + 13) * 399 + sample.row_bytes;
  result plain, converted;
  const char *problem = compress_strips(&sample.image, (cpng_level)level, &plain);
  for (size_t i = 0; i < size; i++)
    sample.memory[i] = (uint8_t)~sample.memory[i];
  sample.image.convert = invert;
  sample.image.context = &channels;
  if (problem == NULL)
    problem = compress_strips(&sample.image, (cpng_level)level, &converted);
  else
    converted = (result){0};
  if (problem == NULL &&
      (plain.count != converted.count || memcmp(plain.bytes, converted.bytes, plain.count) != 0))
    problem = failure("level %d: converted rows give other bytes", level);
  free(plain.bytes);
  free(converted.bytes);
  free(sample.memory);
  return problem;
}
