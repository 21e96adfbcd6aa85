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

// The first run of at least 8 bytes at or behind `at` that are equal to the byte before, or
// `count`.
INLINE size_t next_short_run(const uint8_t *marks, size_t at, size_t count) {
  // A run that starts in a window's first bits is seen as a whole, so windows overlap.
  for (; at < count; at += MARKS_SEEN - 7) {
    uint64_t equal = marks_at(marks, at);
    // Now a bit says that as many bytes are equal from there on as were shifted over.
    equal &= equal >> 1;
    equal &= equal >> 2;
    equal &= equal >> 4;
    if (equal != 0) return at + (size_t)__builtin_ctzll(equal);
  }
  return count;
}

// How many marks are set right before `at`, which is a multiple of 8 but not 0: up to 63 are seen.
INLINE size_t marks_before(const uint8_t *marks, size_t at) {
  uint64_t before = at < 64 ? cpng_load64(marks) << (64 - at) : cpng_load64(marks + at / 8 - 8);
  return (size_t)__builtin_clzll(~before | 1);
}

// The same for at least 16 or 32 bytes. Such a run fills one of the parts that are half as long.
INLINE size_t next_long_run(const uint8_t *marks, size_t at, size_t count, unsigned shortest) {
  const uint64_t ones = shortest == 16 ? 0x0101010101010101 : 0x0001000100010001;
  const uint64_t wanted = (1ull << shortest) - 1;
  const unsigned highest = shortest / 2 - 1;
  uint64_t passed = (1ull << at % 64) - 1;
  for (size_t word = at - at % 64; word < count; word += 64, passed = 0) {
    uint64_t different = ~cpng_load64(marks + word / 8) | passed;
    // The highest bit of every part that is zero, and of some above one: hence the last look.
    uint64_t full = (different - ones) & ~different & ones << highest;
    for (; full != 0; full &= full - 1) {
      size_t part = word + (size_t)__builtin_ctzll(full) - highest;
      size_t begin = part - marks_before(marks, part);
      if (begin < at) begin = at;
      if ((marks_at(marks, begin) & wanted) == wanted) return begin;
    }
  }
  return count;
}

INLINE size_t next_run(const uint8_t *marks, size_t at, size_t count, unsigned shortest) {
  if (shortest == CPNG_RUNS_OF_8) return next_short_run(marks, at, count);
  return next_long_run(marks, at, count, shortest);
}

INLINE size_t run_end(const uint8_t *marks, size_t at) {
  uint64_t different = ~marks_at(marks, at) & ((1ull << MARKS_SEEN) - 1);
  if (different != 0) return at + (size_t)__builtin_ctzll(different);
  // Whole words from here on, the first of which may begin before.
  marks += (at + MARKS_SEEN) / 8;
  at = (at + MARKS_SEEN) / 8 * 8;
  while ((cpng_load64(marks) & cpng_load64(marks + 8) & cpng_load64(marks + 16) &
          cpng_load64(marks + 24)) == UINT64_MAX) {
    marks += 32;
    at += 256;
  }
  for (; cpng_load64(marks) == UINT64_MAX; marks += 8)
    at += 64;
  return at + (size_t)__builtin_ctzll(~cpng_load64(marks));
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

INLINE uint32_t hash(uint64_t bytes) {
  return (uint32_t)(bytes * 0x9e3779b97f4a7c15 >> (64 - CPNG_HEAD_BITS));
}

// What follows a run is where content begins again, so that equal content, wherever it stands, is
// met at the same places of it. Only there are other matches looked for.
INLINE size_t find_matches(cpng_sequence *sequences, uint32_t *heads, const uint8_t *marks,
                           const uint8_t *bytes, size_t count, unsigned shortest) {
  cpng_sequence *next = sequences;
  size_t literals = 0, at = 0;
  memset(heads, 0, sizeof *heads << CPNG_HEAD_BITS);
  while (at < count) {
    size_t run = next_run(marks, at, count, shortest);
    if (run >= count) break;
    size_t end = run_end(marks, run + shortest);
    next = cpng_add_run(next, run - literals, end - run);
    literals = at = end;
    // As long as there are 8 bytes: what lies behind the last one must make no difference.
    while (at + 8 <= count) {
      uint64_t here = cpng_load64(bytes + at);
      uint32_t *head = heads + hash(here);
      size_t candidate = *head;
      *head = (uint32_t)at;
      size_t distance = at - candidate, seen = at + MARKS_SEEN < count ? at + MARKS_SEEN : count;
      if (cpng_load64(bytes + candidate) != here || distance > CPNG_WINDOW) break;
      // Of a long match that is not taken, no more is looked at: there may be one behind every run.
      size_t stop = match_end(bytes, at + 8, distance, seen);
      uint64_t changes = ~marks_at(marks, at) & ((1ull << (stop - at)) - 1);
      if (__builtin_popcountll(changes) < CPNG_FEWEST_CHANGES) break;
      if (stop == seen) stop = match_end(bytes, seen, distance, count);
      next = cpng_add_match(next, at - literals, stop - at, (unsigned)distance);
      literals = at = stop;
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

CPNG_TARGET static size_t find_runs(cpng_sequence *sequences, uint32_t *heads, uint8_t *marks,
                                    const uint8_t *bytes, size_t count,
                                    cpng_shortest_run shortest) {
  mark_equal(marks, bytes, count);
  switch (shortest) {
  case CPNG_RUNS_OF_32:
    return find_matches(sequences, heads, marks, bytes, count, CPNG_RUNS_OF_32);
  case CPNG_RUNS_OF_8:
    // Where most bytes are literals, short runs hold up the literals' vectors more than they save.
    if (!is_dense(marks, count))
      return find_matches(sequences, heads, marks, bytes, count, CPNG_RUNS_OF_8);
    break;
  case CPNG_RUNS_OF_16:
    break;
  }
  return find_matches(sequences, heads, marks, bytes, count, CPNG_RUNS_OF_16);
}
