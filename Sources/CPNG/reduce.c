#include "reduce.h"
#include <stdlib.h>
#include <string.h>

// Pixels that are converted at once, on the stack; a multiple of 8, so that packed indexes end on
// a byte.
enum { CHUNK = 512, PIXEL_BYTES = 8 };

typedef struct {
  unsigned channels, depth;
  // What still may turn out to be true.
  bool opaque, gray, eight_bit, few_colors;
  cpng_reduction *found;
} scan;

static const uint8_t *unreduced(const cpng_reduction *reduction, uint8_t *buffer, const uint8_t *in,
                                size_t count) {
  if (reduction->convert == NULL) return in;
  reduction->convert(NULL, buffer, in, count);
  return buffer;
}

// Whether the last `alpha` bytes of each pixel are all ones.
static bool is_opaque(const uint8_t *pixels, size_t count, unsigned bytes, unsigned alpha) {
  uint8_t all = 0xFF;
  if (bytes == 4 && alpha == 1) {  // by far the most frequent
    uint32_t all32 = 0xFFFFFFFF;
    for (size_t i = 0; i < count; i++) {
      uint32_t pixel;
      memcpy(&pixel, pixels + 4 * i, 4);
      all32 &= pixel;
    }
    uint8_t last[4];
    memcpy(last, &all32, 4);
    return last[3] == 0xFF;
  }
  for (size_t i = 0; i < count; i++) {
    for (unsigned j = bytes - alpha; j < bytes; j++)
      all &= pixels[bytes * i + j];
  }
  return all == 0xFF;
}

// Whether red, green and blue, of `sample` bytes each, are the same everywhere.
static bool is_gray(const uint8_t *pixels, size_t count, unsigned bytes, unsigned sample) {
  uint8_t difference = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *pixel = pixels + bytes * i;
    for (unsigned j = 0; j < sample; j++)
      difference |= (pixel[j] ^ pixel[sample + j]) | (pixel[j] ^ pixel[2 * sample + j]);
  }
  return difference == 0;
}

static bool is_eight_bit(const uint8_t *samples, size_t count) {
  uint8_t difference = 0;
  for (size_t i = 0; i < count; i++)
    difference |= samples[2 * i] ^ samples[2 * i + 1];
  return difference == 0;
}

// Red, green, blue and alpha in the bytes of a word; of 16-bit samples the high byte.
static inline uint32_t color_of(const uint8_t *pixel, unsigned channels, unsigned sample) {
  uint32_t first = pixel[0], alpha = 0xFF;
  if (channels == 2 || channels == 4) alpha = pixel[(channels - 1) * sample];
  if (channels < 3) return first * 0x010101u | alpha << 24;
  return first | (uint32_t)pixel[sample] << 8 | (uint32_t)pixel[2 * sample] << 16 | alpha << 24;
}

// The slot that holds the colour, or the empty one where it belongs.
static inline unsigned slot_of(const cpng_reduction *reduction, uint32_t color) {
  unsigned slot = (color * 0x9E3779B1u) >> 22;
  while (reduction->indexes[slot] != 0 && reduction->keys[slot] != color)
    slot = (slot + 1) % CPNG_COLOR_SLOTS;
  return slot;
}

static bool add_colors(cpng_reduction *reduction, const uint8_t *pixels, size_t count,
                       unsigned channels, unsigned sample) {
  uint32_t last = ~color_of(pixels, channels, sample);
  for (size_t i = 0; i < count; i++) {
    uint32_t color = color_of(pixels + i * channels * sample, channels, sample);
    if (color == last) continue;
    last = color;
    unsigned slot = slot_of(reduction, color);
    if (reduction->indexes[slot] != 0) continue;
    if (reduction->color_count == 256) return false;
    reduction->keys[slot] = color;
    reduction->indexes[slot] = ++reduction->color_count;
  }
  return true;
}

static bool look_at(scan *scan, const uint8_t *pixels, size_t count) {
  unsigned channels = scan->channels, sample = scan->depth / 8, bytes = channels * sample;
  if (scan->opaque) scan->opaque = is_opaque(pixels, count, bytes, sample);
  if (scan->gray) scan->gray = is_gray(pixels, count, bytes, sample);
  if (scan->eight_bit) scan->eight_bit = is_eight_bit(pixels, count * channels);
  scan->few_colors = scan->few_colors && (sample == 1 || scan->eight_bit) &&
                     add_colors(scan->found, pixels, count, channels, sample);
  return scan->opaque || scan->gray || scan->eight_bit || scan->few_colors;
}

static void scan_rows(scan *scan, const cpng_image *image) {
  uint8_t buffer[CHUNK * PIXEL_BYTES];
  const cpng_reduction *found = scan->found;
  for (uint32_t y = 0; y < image->height; y++) {
    const uint8_t *row = image->rows + (ptrdiff_t)y * image->stride;
    for (size_t x = 0; x < image->width; x += CHUNK) {
      size_t count = image->width - x < CHUNK ? image->width - x : CHUNK;
      if (!look_at(scan, unreduced(found, buffer, row + x * found->source_bytes, count), count))
        return;
    }
  }
}

static int compare_colors(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;  // alpha is the high byte
  return (a > b) - (a < b);
}

// Sorts the palette, so that it depends on the colours alone and tRNS can be short.
static void order_colors(cpng_reduction *reduction) {
  uint32_t sorted[256];
  unsigned count = 0;
  for (unsigned slot = 0; slot < CPNG_COLOR_SLOTS; slot++) {
    if (reduction->indexes[slot] != 0) sorted[count++] = reduction->keys[slot];
  }
  qsort(sorted, count, sizeof *sorted, compare_colors);
  for (unsigned i = 0; i < count; i++) {
    reduction->indexes[slot_of(reduction, sorted[i])] = (uint16_t)(i + 1);
    for (unsigned c = 0; c < 4; c++)
      reduction->colors[4 * i + c] = (uint8_t)(sorted[i] >> 8 * c);
  }
}

static unsigned index_depth(unsigned colors) {
  return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8;
}

static void keep_bytes(cpng_reduction *reduction, const scan *scan) {
  unsigned sample = scan->depth / 8, kept_sample = reduction->depth / 8;
  bool alpha = scan->channels % 2 == 0, color = scan->channels >= 3;
  unsigned colors = color && !scan->gray ? 3 : 1, kept = 0;
  for (unsigned c = 0; c < colors; c++) {
    for (unsigned j = 0; j < kept_sample; j++)
      reduction->kept[kept++] = (uint8_t)(c * sample + j);
  }
  for (unsigned j = 0; alpha && !scan->opaque && j < kept_sample; j++)
    reduction->kept[kept++] = (uint8_t)((scan->channels - 1) * sample + j);
  reduction->kept_count = (uint8_t)kept;
  reduction->channels = (uint8_t)(kept / kept_sample);
}

// Fills in the smaller form; false when it is no smaller.
static bool choose(const scan *scan, const cpng_image *image) {
  cpng_reduction *found = scan->found;
  found->depth = scan->eight_bit ? 8 : (uint8_t)scan->depth;
  keep_bytes(found, scan);
  unsigned bits = found->kept_count * 8u;
  if (scan->few_colors) {
    unsigned depth = index_depth(found->color_count);
    uint64_t pixels = (uint64_t)image->width * image->height;
    uint64_t palette_bytes =
        12 + 3 * found->color_count + (scan->channels % 2 == 0 && !scan->opaque ? 12 + 256 : 0);
    if (depth < bits && pixels * (bits - depth) / 8 > palette_bytes) {
      found->depth = (uint8_t)depth;
      found->channels = 1;
      order_colors(found);
      return true;
    }
  }
  found->color_count = 0;
  return bits < scan->channels * scan->depth;
}

bool cpng_reduce(const cpng_image *image, unsigned source_bytes, bool keep_color_space,
                 cpng_reduction **reduction) {
  cpng_reduction *found = calloc(1, sizeof *found);
  if (found == NULL) return false;
  found->convert = image->convert;
  found->source_bytes = (uint8_t)source_bytes;
  found->bytes = image->channels * image->bit_depth / 8;
  found->sample = image->bit_depth / 8;
  scan scan = {
      .channels = image->channels,
      .depth = image->bit_depth,
      .opaque = image->channels % 2 == 0,
      .gray = image->channels >= 3 && !keep_color_space,
      .eight_bit = image->bit_depth == 16,
      .few_colors = image->channels >= 3 || !keep_color_space,
      .found = found,
  };
  scan_rows(&scan, image);
  bool smaller = choose(&scan, image);
  if (!smaller) free(found);
  *reduction = smaller ? found : NULL;
  return true;
}

static void keep(const cpng_reduction *reduction, uint8_t *out, const uint8_t *pixels,
                 size_t count) {
  unsigned kept = reduction->kept_count, bytes = reduction->bytes;
  for (unsigned j = 0; j < kept; j++) {
    const uint8_t *in = pixels + reduction->kept[j];
    for (size_t i = 0; i < count; i++)
      out[kept * i + j] = in[bytes * i];
  }
}

static void map(const cpng_reduction *reduction, uint8_t *indexes, const uint8_t *pixels,
                size_t count, unsigned channels, unsigned sample) {
  uint32_t last = ~color_of(pixels, channels, sample);
  uint8_t index = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t color = color_of(pixels + i * channels * sample, channels, sample);
    if (color != last) index = (uint8_t)(reduction->indexes[slot_of(reduction, color)] - 1);
    last = color;
    indexes[i] = index;
  }
}

static void pack(uint8_t *out, const uint8_t *indexes, size_t count, unsigned depth) {
  unsigned per_byte = 8 / depth;
  for (size_t i = 0; i < count; i += per_byte) {
    unsigned packed = 0;
    for (unsigned j = 0; j < per_byte; j++)
      packed = packed << depth | (i + j < count ? indexes[i + j] : 0);
    out[i / per_byte] = (uint8_t)packed;
  }
}

void cpng_reduce_row(const void *context, uint8_t *restrict out, const uint8_t *restrict in,
                     size_t width) {
  const cpng_reduction *reduction = context;
  uint8_t buffer[CHUNK * PIXEL_BYTES], indexes[CHUNK];
  unsigned sample = reduction->sample, channels = reduction->bytes / sample;
  for (size_t x = 0; x < width; x += CHUNK) {
    size_t count = width - x < CHUNK ? width - x : CHUNK;
    const uint8_t *pixels = unreduced(reduction, buffer, in + x * reduction->source_bytes, count);
    if (reduction->color_count == 0) {
      keep(reduction, out + x * reduction->kept_count, pixels, count);
    } else {
      map(reduction, indexes, pixels, count, channels, sample);
      pack(out + x * reduction->depth / 8, indexes, count, reduction->depth);
    }
  }
}
