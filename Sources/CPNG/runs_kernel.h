// The match finder of the fast levels. Included by a kernel's file behind its vectors.
#include "runs.h"

// Where the first run at or behind `at` begins that is at least `shortest` (8 or more) bytes equal
// to the byte before, or `count`. `at` is at least 1.
INLINE size_t next_run(const uint8_t *bytes, size_t at, size_t count, unsigned shortest) {
  // A run that starts in a window's first bits is seen as a whole, so windows overlap.
  for (; at < count; at += 64 - shortest + 1) {
    uint64_t equal = equal64(bytes + at, bytes + at - 1);
    // Now a bit says that as many bytes are equal from there on as were shifted over.
    equal &= equal >> 1;
    equal &= equal >> 2;
    equal &= equal >> 4;
    if (shortest >= 16) equal &= equal >> 8;
    unsigned seen = shortest >= 16 ? 16 : 8;
    if (shortest > seen) equal &= equal >> (shortest - seen);
    if (equal == 0) continue;
    at += (size_t)__builtin_ctzll(equal);
    return at + shortest <= count ? at : count;
  }
  return count;
}

// Where bytes stop being equal to those `distance` before: at most `count`.
INLINE size_t match_end(const uint8_t *bytes, size_t at, size_t distance, size_t count) {
  for (; at < count; at += 64) {
    uint64_t different = ~equal64(bytes + at, bytes + at - distance);
    if (different == 0) continue;
    at += (size_t)__builtin_ctzll(different);
    break;
  }
  return at < count ? at : count;
}

INLINE uint32_t anchor_hash(uint64_t bytes) {
  return (uint32_t)(bytes * 0x9e3779b97f4a7c15 >> (64 - CPNG_ANCHOR_BITS));
}

// What follows a run is where content begins again, so that equal content, wherever it stands, is
// met at the same places of it. Only there are other matches looked for.
INLINE size_t find_matches(cpng_sequence *sequences, uint32_t *anchors, const uint8_t *bytes,
                           size_t count, unsigned shortest) {
  cpng_sequence *next = sequences;
  size_t literals = 0, at = 1;
  memset(anchors, 0, sizeof *anchors << CPNG_ANCHOR_BITS);
  while (at < count) {
    size_t run = next_run(bytes, at, count, shortest);
    if (run >= count) break;
    size_t end = match_end(bytes, run + shortest, 1, count);
    next = cpng_add_match(next, run - literals, end - run, 1);
    literals = at = end;
    while (at < count) {
      uint64_t here = cpng_load64(bytes + at);
      uint32_t *anchor = anchors + anchor_hash(here);
      size_t candidate = *anchor;
      *anchor = (uint32_t)at;
      if (cpng_load64(bytes + candidate) != here || at - candidate > CPNG_WINDOW) break;
      size_t length = match_end(bytes, at + 8, at - candidate, count) - at;
      uint64_t changes = ~equal64(bytes + at, bytes + at - 1);
      if (length < 64) changes &= (1ull << length) - 1;
      if (__builtin_popcountll(changes) < CPNG_FEWEST_CHANGES) break;
      next = cpng_add_match(next, at - literals, length, (unsigned)(at - candidate));
      literals = at = at + length;
    }
    at++;
  }
  *next++ = (cpng_sequence){(uint32_t)(count - literals), 0, 0};
  return (size_t)(next - sequences);
}

// Whether much of the content changes from byte to byte, from a look at an eighth of it.
INLINE bool is_dense(const uint8_t *bytes, size_t count) {
  enum { WINDOW = 64, STEP = 8 * WINDOW };
  size_t seen = 0, changes = 0;
  for (size_t at = 1; at + WINDOW <= count; at += STEP, seen += WINDOW)
    changes += (size_t)__builtin_popcountll(~equal64(bytes + at, bytes + at - 1));
  return changes * CPNG_DENSE_SHARE > seen;
}

CPNG_TARGET static size_t find_runs(cpng_sequence *sequences, uint32_t *anchors,
                                    const uint8_t *bytes, size_t count) {
  if (is_dense(bytes, count))
    return find_matches(sequences, anchors, bytes, count, CPNG_SHORTEST_DENSE_RUN);
  return find_matches(sequences, anchors, bytes, count, CPNG_SHORTEST_RUN);
}
