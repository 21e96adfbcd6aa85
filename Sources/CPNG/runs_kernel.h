// The match finder of the fast levels. Included by a kernel's file behind its vectors.
#include "runs.h"

// Sets a bit for every byte that equals the one before: at least 128 bits behind the last byte are
// clear.
INLINE void mark_equal(uint8_t *marks, const uint8_t *bytes, size_t count) {
  cpng_store64(marks, equal64(bytes + 1, bytes) << 1);  // the first one has none before
  size_t at = 64;
  for (; at < count; at += 64)
    cpng_store64(marks + at / 8, equal64(bytes + at, bytes + at - 1));
  cpng_store64(marks + at / 8, 0);
  cpng_store64(marks + at / 8 + 8, 0);
  if (count % 64 != 0) {
    uint8_t *last = marks + (at - 64) / 8;
    cpng_store64(last, cpng_load64(last) & ((1ull << count % 64) - 1));
  }
}

// The marks from `at` on, of which the first 57 are there.
enum { MARKS_SEEN = 57 };
INLINE uint64_t marks_at(const uint8_t *marks, size_t at) {
  return cpng_load64(marks + at / 8) >> (at & 7);
}

// Where the first run at or behind `at` begins that is at least `shortest` (8 or more) bytes equal
// to the byte before, or `count`.
INLINE size_t next_run(const uint8_t *marks, size_t at, size_t count, unsigned shortest) {
  // A run that starts in a window's first bits is seen as a whole, so windows overlap.
  for (; at < count; at += MARKS_SEEN - shortest + 1) {
    uint64_t equal = marks_at(marks, at);
    // Now a bit says that as many bytes are equal from there on as were shifted over.
    equal &= equal >> 1;
    equal &= equal >> 2;
    equal &= equal >> 4;
    if (shortest >= 16) equal &= equal >> 8;
    unsigned seen = shortest >= 16 ? 16 : 8;
    if (shortest > seen) equal &= equal >> (shortest - seen);
    if (equal != 0) return at + (size_t)__builtin_ctzll(equal);
  }
  return count;
}

INLINE size_t run_end(const uint8_t *marks, size_t at) {
  for (;; at += MARKS_SEEN) {
    uint64_t different = ~marks_at(marks, at) & ((1ull << MARKS_SEEN) - 1);
    if (different != 0) return at + (size_t)__builtin_ctzll(different);
  }
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
INLINE size_t find_matches(cpng_sequence *sequences, uint32_t *anchors, const uint8_t *marks,
                           const uint8_t *bytes, size_t count, unsigned shortest) {
  cpng_sequence *next = sequences;
  size_t literals = 0, at = 0;
  memset(anchors, 0, sizeof *anchors << CPNG_ANCHOR_BITS);
  while (at < count) {
    size_t run = next_run(marks, at, count, shortest);
    if (run >= count) break;
    size_t end = run_end(marks, run + shortest);
    next = cpng_add_match(next, run - literals, end - run, 1);
    literals = at = end;
    while (at < count) {
      uint64_t here = cpng_load64(bytes + at);
      uint32_t *anchor = anchors + anchor_hash(here);
      size_t candidate = *anchor;
      *anchor = (uint32_t)at;
      if (cpng_load64(bytes + candidate) != here || at - candidate > CPNG_WINDOW) break;
      size_t length = match_end(bytes, at + 8, at - candidate, count) - at;
      uint64_t changes = ~marks_at(marks, at);
      size_t seen = length < MARKS_SEEN ? length : MARKS_SEEN;
      changes &= (1ull << seen) - 1;
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
INLINE bool is_dense(const uint8_t *marks, size_t count) {
  size_t seen = 0, equal = 0;
  for (size_t at = 0; at + 64 <= count; at += 512, seen += 64)
    equal += (size_t)__builtin_popcountll(cpng_load64(marks + at / 8));
  return (seen - equal) * CPNG_DENSE_SHARE > seen;
}

CPNG_TARGET static size_t find_runs(cpng_sequence *sequences, uint32_t *anchors, uint8_t *marks,
                                    const uint8_t *bytes, size_t count) {
  mark_equal(marks, bytes, count);
  if (is_dense(marks, count))
    return find_matches(sequences, anchors, marks, bytes, count, CPNG_SHORTEST_DENSE_RUN);
  return find_matches(sequences, anchors, marks, bytes, count, CPNG_SHORTEST_RUN);
}

INLINE uint32_t repeat_hash(uint64_t shifted) {
  return (uint32_t)(shifted * 0x9e3779b97f4a7c15 >> (64 - CPNG_REPEAT_BITS));
}

// Looks for repeats everywhere, less and less often the longer there are none. `thorough` remembers
// what a match covers, too.
INLINE size_t find_all(cpng_sequence *sequences, uint32_t *heads, const uint8_t *bytes,
                       size_t count, bool thorough) {
  enum { CHECKED = CPNG_SHORTEST_REPEAT, UNUSED_BITS = 64 - 8 * CHECKED, COVERED = 32 };
  cpng_sequence *next = sequences;
  size_t literals = 0, at = 1, misses = 0;
  memset(heads, 0, sizeof *heads << CPNG_REPEAT_BITS);
  while (at + 8 <= count) {
    uint64_t here = cpng_load64(bytes + at) << UNUSED_BITS;
    uint32_t *head = heads + repeat_hash(here);
    size_t candidate = *head;
    *head = (uint32_t)at;
    if (cpng_load64(bytes + candidate) << UNUSED_BITS != here || at - candidate > CPNG_WINDOW) {
      at += 1 + (misses++ >> 5);
      continue;
    }
    misses = 0;
    size_t distance = at - candidate, end = match_end(bytes, at + CHECKED, distance, count);
    size_t covered = end < at + COVERED ? end : at + COVERED;
    if (covered + 8 > count || !thorough) covered = at;
    for (size_t i = at + 1; i < covered; i++)
      heads[repeat_hash(cpng_load64(bytes + i) << UNUSED_BITS)] = (uint32_t)i;
    for (; at > literals && candidate > 0 && bytes[at - 1] == bytes[candidate - 1]; candidate--)
      at--;
    next = cpng_add_match(next, at - literals, end - at, (unsigned)distance);
    literals = at = end;
  }
  *next++ = (cpng_sequence){(uint32_t)(count - literals), 0, 0};
  return (size_t)(next - sequences);
}

CPNG_TARGET static size_t find_repeats(cpng_sequence *sequences, uint32_t *heads,
                                       const uint8_t *bytes, size_t count, bool thorough) {
  return find_all(sequences, heads, bytes, count, thorough);
}
