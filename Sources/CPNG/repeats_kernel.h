// The match finder for drawn rows without filters. Included by a kernel's file behind that for
// runs.
#include "runs.h"

// The heads of the second kind: of more bytes, so that longer matches are met first.
INLINE uint32_t *head_of_more(uint32_t *heads, const uint8_t *bytes, size_t unit) {
  uint64_t sum = cpng_load64(bytes) * 31 + cpng_load64(bytes + 8);
  if (unit > 1) sum = (sum * 31 + cpng_load64(bytes + 16)) * 31 + cpng_load64(bytes + 24);
  return heads + (1 << CPNG_HEAD_BITS) + hash(sum);
}

INLINE bool repeats(const uint8_t *bytes, size_t at, size_t candidate, uint64_t here) {
  return cpng_load64(bytes + candidate) == here && at - candidate <= CPNG_WINDOW;
}

// What is drawn repeats the pixel at its left, those above, or what was drawn elsewhere: looked for
// in this order, from pixel to pixel, and less and less often the longer there is nothing.
INLINE size_t find_repeats_of(cpng_sequence *sequences, uint32_t *heads, const cpng_text *text,
                              size_t unit) {
  enum {
    SEEN = 32,       // bytes that a step looks at
    COVERED = 16,    // bytes of a match from which its pixels are remembered
    ADVANTAGE = 16,  // by so many bytes is a match above longer, as its distance costs more
    PATIENCE = 5,    // two to the power of it misses in a row, and every other pixel is skipped
  };
  const uint8_t *bytes = text->bytes;
  const size_t count = text->count, stride = text->stride;
  cpng_sequence *next = sequences;
  size_t literals = 0, at = 1, row = 0, misses = 0;  // `row` begins with its filter byte
  memset(heads, 0, sizeof *heads << (CPNG_HEAD_BITS + 1));
  while (at + SEEN <= count) {
    // A row that begins with a run is spelled with it: above is farther away, and each piece of a
    // match says how far.
    if (at == row && cpng_load64(bytes + at + 1) == cpng_load64(bytes + at + 1 + unit)) {
      at += 1 + unit;
      if (at - row == stride) row = at;
      continue;
    }
    uint64_t here = cpng_load64(bytes + at);
    size_t distance = 0, end = at;
    if (at >= unit && cpng_load64(bytes + at - unit) == here) {
      distance = unit;
      end = match_end(bytes, at + CPNG_SHORTEST_REPEAT, unit, count);
    }
    if (end < at + CPNG_MAX_MATCH && at >= stride && repeats(bytes, at, at - stride, here)) {
      size_t other = match_end(bytes, at + CPNG_SHORTEST_REPEAT, stride, count);
      if (other > end + ADVANTAGE) {
        distance = stride;
        end = other;
      }
    }
    if (distance == 0) {
      uint32_t *head = heads + hash(here), *more = head_of_more(heads, bytes + at, unit);
      size_t candidate = repeats(bytes, at, *more, here) ? *more : *head;
      *head = *more = (uint32_t)at;
      if (!repeats(bytes, at, candidate, here)) {
        at += at == row ? 1 : unit + (misses++ >> PATIENCE) * unit;
        if (at - row >= stride) at = row += stride;
        continue;
      }
      distance = at - candidate;
      end = match_end(bytes, at + CPNG_SHORTEST_REPEAT, distance, count);
      for (size_t i = at + unit; i < end && i < at + COVERED && i + SEEN <= count; i += unit)
        heads[hash(cpng_load64(bytes + i))] = *head_of_more(heads, bytes + i, unit) = (uint32_t)i;
    }
    misses = 0;
    while (at > literals && at > distance && bytes[at - 1] == bytes[at - 1 - distance])
      at--;
    next = cpng_add_match(next, at - literals, end - at, (unsigned)distance);
    literals = at = end;
    // The next pixel, or the byte before the first one of a row.
    if (at - row >= stride) row += (at - row) / stride * stride;
    size_t over = at == row ? 0 : (at - row - 1) % unit;
    if (over != 0) at += unit - over;
    if (at - row == stride) row = at;
  }
  *next++ = (cpng_sequence){(uint32_t)(count - literals), 0, 0};
  return (size_t)(next - sequences);
}

// The usual pixels get loops of their own.
CPNG_TARGET static size_t find_repeats(cpng_sequence *sequences, uint32_t *heads,
                                       const cpng_text *text) {
  switch (text->unit) {
  case 1:
    return find_repeats_of(sequences, heads, text, 1);
  case 3:
    return find_repeats_of(sequences, heads, text, 3);
  case 4:
    return find_repeats_of(sequences, heads, text, 4);
  default:
    return find_repeats_of(sequences, heads, text, text->unit);
  }
}
