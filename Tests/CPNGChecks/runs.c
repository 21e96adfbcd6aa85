#include "runs.h"
#include "CPNG.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// How many bytes in a row may equal the one before and yet be literals: one more than a run that
// is looked for has not, since the byte behind a match is never the first of a run.
static size_t most_equal(cpng_shortest_run shortest) {
  return shortest == CPNG_RUNS_OF_8 ? CPNG_RUNS_OF_16 : shortest;
}

// Whether the sequences spell the bytes and leave out no run.
static const char *check_spelling(const cpng_block *block, size_t most) {
  size_t at = 0, equal = 0;
  for (size_t i = 0; i < block->sequence_count; i++) {
    cpng_sequence sequence = block->sequences[i];
    size_t end = at + sequence.literals;
    if (end > block->count) return failure("%zu literals of %zu bytes", end, block->count);
    for (equal = 0; at < end; at++) {
      equal = at > 0 && block->bytes[at] == block->bytes[at - 1] ? equal + 1 : 0;
      if (equal > most) return failure("a run up to %zu is left out", at);
    }
    if (sequence.length == 0) break;
    if (sequence.distance > at || at + sequence.length > block->count)
      return failure("%u bytes from %u before %zu", sequence.length, sequence.distance, at);
    for (end = at + sequence.length; at < end; at++) {
      if (block->bytes[at] != block->bytes[at - sequence.distance])
        return failure("byte %zu is not the one %u before", at, sequence.distance);
    }
  }
  return at == block->count ? NULL : failure("%zu bytes of %zu", at, block->count);
}

// Runs of every length around those that are looked for, with few other bytes or many between them.
static size_t fill_runs(uint8_t *bytes, size_t most, unsigned kind, uint64_t *state) {
  size_t count = 0;
  while (count < most) {
    size_t run = next_random(state) % (kind % 2 == 0 ? 40 : 8);
    if (next_random(state) % 16 == 0) run = 240 + next_random(state) % 300;
    if (kind == 3 && next_random(state) % 64 == 0) run = 65500 + next_random(state) % 80000;
    uint8_t value = (uint8_t)(next_random(state) % 3);
    for (; run > 0 && count < most; run--)
      bytes[count++] = value;
    for (size_t other = next_random(state) % 20; other > 0 && count < most; other--)
      bytes[count++] = (uint8_t)next_random(state);
  }
  return count;
}

const char *cpng_check_runs(void) {
  static const cpng_shortest_run shortests[] = {CPNG_RUNS_OF_8, CPNG_RUNS_OF_16, CPNG_RUNS_OF_32};
  enum { MOST = 300000, ROOM = MOST / 8 + 2 };
  const char *problem = NULL;
  uint64_t state = 31;
  uint8_t *bytes = calloc(1, MOST + 128), *marks = malloc(MOST / 8 + 64);
  uint32_t *heads = malloc(sizeof *heads << CPNG_HEAD_BITS);
  cpng_sequence *scalar = malloc(ROOM * sizeof *scalar), *found = malloc(ROOM * sizeof *found);
  for (unsigned round = 0; round < 400 && problem == NULL; round++) {
    size_t most = round < 300 ? round + 1 : 1 + next_random(&state) % MOST;
    size_t count = fill_runs(bytes, most, round % 4, &state);
    for (unsigned i = 0; i < 3 && problem == NULL; i++) {
      size_t expected =
          cpng_kernel_scalar.find_runs(scalar, heads, marks, bytes, count, shortests[i]);
      cpng_block block = {bytes, count, scalar, expected};
      problem = check_spelling(&block, most_equal(shortests[i]));
      size_t made = cpng_kernel()->find_runs(found, heads, marks, bytes, count, shortests[i]);
      if (problem == NULL && (made != expected || memcmp(found, scalar, made * sizeof *found) != 0))
        problem = failure("%s spells %zu bytes differently", cpng_kernel()->name, count);
    }
  }
  free(bytes);
  free(marks);
  free(heads);
  free(scalar);
  free(found);
  return problem;
}

enum { BEHIND = 128, RUN = 48 };

// A run, some bytes that change, and the same again at the end, where the last few are missing.
// Behind them are either the missing ones, as what was in the memory before may have been, or
// others.
static size_t fill_cut(uint8_t *bytes, size_t changing, size_t missing, bool others) {
  size_t count = 0;
  for (unsigned time = 0; time < 2; time++) {
    memset(bytes + count, 0, RUN);
    count += RUN;
    for (size_t i = 0; i < changing; i++)
      bytes[count++] = (uint8_t)(i * 37 + 1);
  }
  count -= missing;
  if (others) memset(bytes + count, 255, missing);
  return count;
}

// Spells cut bytes either way, and compares.
static const char *check_cut(size_t changing, size_t missing, unsigned finder) {
  static const cpng_shortest_run shortests[] = {CPNG_RUNS_OF_8, CPNG_RUNS_OF_16, CPNG_RUNS_OF_32};
  enum { MOST = 2 * (RUN + 64) + BEHIND };
  uint8_t bytes[MOST] = {0}, marks[MOST / 8 + 64];
  uint32_t heads[2 << CPNG_HEAD_BITS];
  cpng_sequence found[2][MOST / 8 + 2];
  size_t made[2], count = 0;
  for (unsigned way = 0; way < 2; way++) {
    count = fill_cut(bytes, changing, missing, way == 1);
    cpng_text text = {bytes, count, finder - 2, count};
    made[way] = finder < 3 ? cpng_kernel()->find_runs(found[way], heads, marks, bytes, count,
                                                      shortests[finder])
                           : cpng_kernel()->find_repeats(found[way], heads, &text);
  }
  if (made[0] == made[1] && memcmp(found[0], found[1], made[0] * sizeof **found) == 0) return NULL;
  return failure("finder %u: the %zu bytes behind %zu make a difference", finder, missing, count);
}

const char *cpng_check_behind(void) {
  enum { FINDERS = 3 + 8 };  // runs of three lengths, and repeats of pixels of 1 to 8 bytes
  const char *problem = NULL;
  for (unsigned finder = 0; finder < FINDERS; finder++) {
    for (size_t changing = 1; changing <= 64; changing++) {
      for (size_t missing = 1; missing <= changing && problem == NULL; missing++)
        problem = check_cut(changing, missing, finder);
    }
  }
  return problem;
}

static double thread_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// The least time that a finder of runs has taken for so many bytes.
static double least_seconds(const uint8_t *bytes, size_t count, cpng_shortest_run shortest) {
  uint8_t *marks = malloc(count / 8 + 64);
  uint32_t *heads = malloc(sizeof *heads << CPNG_HEAD_BITS);
  cpng_sequence *found = malloc((count / 8 + 2) * sizeof *found);
  double least = 1e9;
  for (unsigned time = 0; time < 5; time++) {
    double begin = thread_seconds();
    cpng_kernel()->find_runs(found, heads, marks, bytes, count, shortest);
    double taken = thread_seconds() - begin;
    if (taken < least) least = taken;
  }
  free(marks);
  free(heads);
  free(found);
  return least;
}

const char *cpng_check_repeated_runs(void) {
  // A few runs again and again: behind each is a match up to the end, which is better spelled with
  // runs.
  enum { SMALL = 1 << 16, TIMES = 16, SLACK = 4 };
  uint8_t *bytes = malloc(SMALL * TIMES + BEHIND);
  for (size_t i = 0; i < SMALL * TIMES + BEHIND; i++)
    bytes[i] = i % 64 < 40 ? 0 : i % 64 < 52 ? 7 : 9;
  double small = least_seconds(bytes, SMALL, CPNG_RUNS_OF_16);
  double large = least_seconds(bytes, SMALL * TIMES, CPNG_RUNS_OF_16);
  free(bytes);
  if (large <= small * TIMES * SLACK) return NULL;
  return failure("%d times the bytes take %.0f times as long", TIMES, large / small);
}
