#include "parse_optimal.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

// Spells some text after `end` positions went by, and says what came out.
static size_t spell(cpng_optimal *state, uint32_t end, cpng_sequence *sequences) {
  static const cpng_optimal_effort effort = {32, true, 8, 128, 16, 1};
  enum { COUNT = 3000, PADDING = 128 };
  uint8_t bytes[COUNT + PADDING] = {0};
  uint64_t seed = 1;
  fill(bytes, COUNT, COUNT, 3, &seed);
  cpng_text text = {bytes, COUNT, 3, 100};
  cpng_counts none = {{0}, {0}};
  state->matcher.end = end;
  cpng_optimal_begin(state, &text, &none);
  size_t count;
  cpng_parse_optimally(state, &effort, &text, 0, sequences, &count);
  return count;
}

const char *cpng_check_positions(void) {
  cpng_optimal *state = calloc(1, sizeof *state);
  cpng_sequence *first = malloc(CPNG_BATCH_SEQUENCES * sizeof *first);
  cpng_sequence *second = malloc(CPNG_BATCH_SEQUENCES * sizeof *second);
  size_t count = spell(state, 0, first);
  // The last positions there are, then the first ones once more, where stale ones look near.
  size_t late = spell(state, UINT32_MAX / 2, second);
  const char *problem = NULL;
  if (late != count || memcmp(first, second, count * sizeof *first) != 0)
    problem = failure("the last positions spell differently");
  cpng_matcher_begin(&state->matcher, 1);  // as a look at a sample does
  memset(state->short_heads, 0xff, sizeof state->short_heads);
  memset(state->middle_heads, 0xff, sizeof state->middle_heads);
  cpng_text empty = {NULL, 0, 1, 1};
  cpng_optimal_begin(state, &empty, &(cpng_counts){{0}, {0}});
  for (unsigned i = 0; i < 1 << CPNG_SHORT_HASH_BITS && problem == NULL; i++) {
    if (state->short_heads[i] != 0) problem = failure("places from before are still known");
  }
  for (unsigned i = 0; i < 1 << CPNG_MIDDLE_HASH_BITS && problem == NULL; i++) {
    if (state->middle_heads[i] != 0) problem = failure("places from before are still known");
  }
  size_t again = spell(state, state->matcher.end, second);
  if (problem == NULL && (again != count || memcmp(first, second, count * sizeof *first) != 0))
    problem = failure("the first positions spell differently once more");
  if (problem == NULL && state->matcher.rounds != 1) problem = failure("the positions went on");
  free(state);
  free(first);
  free(second);
  return problem;
}
