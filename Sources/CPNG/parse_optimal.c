#include "parse_optimal.h"
#include "kernel.h"

enum {
  INSIDE = 255,       // in place of a count: the last position within a match that is taken
  MOST_MATCHES = 24,  // of one position
  NEAR_END = 16,      // bytes before the end of a good match that are searched again
  BARRED = 1 << 30,   // a cost that nothing has
};

// A match as one number: the distance less 1 in the low 15 bits, the length above.
static inline uint32_t packed(uint32_t length, uint32_t distance) {
  return length << 15 | (distance - 1);
}

static inline uint32_t length_of(uint32_t match) { return match >> 15; }

static inline uint32_t distance_of(uint32_t match) { return (match & 0x7fff) + 1; }

void cpng_optimal_begin(cpng_optimal *state, const cpng_text *text, const cpng_counts *expected) {
  cpng_matcher_begin(&state->matcher, text->count);
  if (state->rounds != state->matcher.rounds) {
    memset(state->short_heads, 0, sizeof state->short_heads);
    memset(state->middle_heads, 0, sizeof state->middle_heads);
    state->rounds = state->matcher.rounds;
  }
  state->counts = *expected;
  cpng_costs_learn(&state->costs, expected);
}

static inline uint32_t short_hash(const uint8_t *at) {
  return (cpng_load32(at) << 8) * 2654435761u >> (32 - CPNG_SHORT_HASH_BITS);
}

static inline uint32_t middle_hash(const uint8_t *at) {
  return (uint32_t)((cpng_load64(at) << 24) * 0x9e3779b97f4a7c15u >> (64 - CPNG_MIDDLE_HASH_BITS));
}

typedef struct {
  cpng_optimal *state;
  const cpng_optimal_effort *effort;
  const cpng_text *text;
} search;

static inline void insert(const search *search, size_t at) {
  const uint8_t *here = search->text->bytes + at;
  cpng_optimal *state = search->state;
  cpng_matcher_insert(&state->matcher, at, cpng_hash(here, search->effort->skipped));
  if (!search->effort->short_matches) return;
  uint32_t position = state->matcher.base + (uint32_t)at;
  state->short_heads[short_hash(here)] = position;
  state->middle_heads[middle_hash(here)] = position;
}

// Puts a position into a table, and returns how far back the one before is.
static inline uint32_t exchange(uint32_t *head, uint32_t position) {
  uint32_t distance = position - *head;
  *head = position;
  return distance;
}

// Lists a match if it is longer than those before.
static inline uint32_t *consider(uint32_t *next, uint32_t *longest, const uint8_t *here,
                                 uint32_t distance, uint32_t limit) {
  uint32_t tail = *longest < 3 ? 0 : *longest - 3;
  if (*longest >= limit || cpng_load32(here + tail) != cpng_load32(here + tail - distance))
    return next;
  uint32_t length = (uint32_t)cpng_match_length(here, here - distance, limit);
  if (length <= *longest) return next;
  *longest = length;
  *next++ = packed(length, distance);
  return next;
}

// Lists the matches at an index, which becomes a candidate itself. At least 8 bytes are left.
static uint32_t *list_matches(const search *search, size_t at, uint32_t *next) {
  cpng_optimal *state = search->state;
  const cpng_text *text = search->text;
  const uint8_t *here = text->bytes + at;
  size_t left = text->count - at;
  uint32_t limit = left < CPNG_MAX_MATCH ? (uint32_t)left : CPNG_MAX_MATCH, longest = 0;
  uint32_t enough = search->effort->enough;
  uint32_t near = CPNG_WINDOW + 1, middle = near;
  if (search->effort->short_matches) {
    uint32_t position = state->matcher.base + (uint32_t)at;
    near = exchange(&state->short_heads[short_hash(here)], position);
    middle = exchange(&state->middle_heads[middle_hash(here)], position);
    __builtin_prefetch(&state->short_heads[short_hash(here + 2)]);
    __builtin_prefetch(&state->middle_heads[middle_hash(here + 2)]);
  }
  __builtin_prefetch(&state->matcher.heads[cpng_hash(here + 2, search->effort->skipped)]);
  uint32_t step =
      cpng_matcher_insert(&state->matcher, at, cpng_hash(here, search->effort->skipped));
  if (here[0] == here[-1]) next = consider(next, &longest, here, 1, limit);
  if (text->unit <= at && text->unit > 1)
    next = consider(next, &longest, here, (uint32_t)text->unit, limit);
  if (longest < 3 && near <= CPNG_WINDOW &&
      (cpng_load32(here) ^ cpng_load32(here - near)) << 8 == 0) {
    longest = (uint32_t)cpng_match_length(here, here - near, limit);
    *next++ = packed(longest, near);
  }
  if (middle <= CPNG_WINDOW && longest < enough)
    next = consider(next, &longest, here, middle, limit);
  uint32_t distance = step;
  for (uint32_t depth = search->effort->depth; depth > 0; depth--) {
    if (step == 0 || distance > CPNG_WINDOW || longest >= enough) break;
    next = consider(next, &longest, here, distance, limit);
    step = cpng_matcher_step(&state->matcher, at, distance);
    distance += step;
  }
  if (text->stride <= at && text->stride <= CPNG_WINDOW && longest < enough)
    next = consider(next, &longest, here, (uint32_t)text->stride, limit);
  return next;
}

// Takes the match at `at` of the batch as it is: the walk back jumps from its last byte to its
// first, and no match from before ends inside.
static void bar(cpng_optimal *state, size_t at, uint32_t length) {
  state->match_counts[at] = 1;
  state->match_counts[at + length - 1] = INSIDE;
  for (uint32_t i = 1; i < length; i++)
    state->costs_from[at + i] = BARRED;
  state->choices[at + length - 1] = length - 1;
}

// Finds the matches of a batch; returns how many bytes it has.
static size_t find_matches(const search *search, size_t from) {
  cpng_optimal *state = search->state;
  const cpng_text *text = search->text;
  uint32_t *next = state->matches, *end = state->matches + CPNG_BATCH_MATCHES - MOST_MATCHES;
  size_t most = text->count - from < CPNG_BATCH ? text->count - from : CPNG_BATCH, at = 0;
  uint32_t before = 0;               // the longest match of the position before
  uint32_t rest = 0, rest_from = 0;  // what is left of a good match, and its distance
  while (at < most && next < end) {
    size_t index = from + at;
    if (index == 0 || index + 8 >= text->count) {
      state->match_counts[at++] = 0;
      continue;
    }
    uint32_t *first = next;
    if (rest > NEAR_END) {
      const uint8_t *here = text->bytes + index;
      uint32_t longest = 0;
      insert(search, index);
      if (here[0] == here[-1] && rest_from > 1) {
        next = consider(next, &longest, here, 1, rest);
        if (longest == rest) next = first;
      }
      *next++ = packed(rest--, rest_from);
      state->match_counts[at++] = (uint8_t)(next - first);
      continue;
    }
    next = list_matches(search, index, next);
    uint32_t longest = next == first ? 0 : length_of(next[-1]);
    if (longest < search->effort->enough) {
      // Looked at twice: the position behind the one where a match begins may have a longer one.
      bool good = longest >= search->effort->good && longest <= before;
      rest = good ? longest - 1 : 0;
      rest_from = good ? distance_of(next[-1]) : 0;
      before = longest;
      state->match_counts[at++] = (uint8_t)(next - first);
      continue;
    }
    *first = next[-1];
    next = first + 1;
    bar(state, at, longest);
    // A run looks the same everywhere: a few of its bytes will do.
    size_t stop = index + (distance_of(*first) <= text->unit ? 2 * text->unit : longest);
    if (stop > index + longest) stop = index + longest;
    if (stop + 8 > text->count) stop = text->count - 8;
    for (size_t inside = index + 1; inside < stop; inside++)
      insert(search, inside);
    before = rest = 0;
    at += longest;
  }
  state->match_total = (size_t)(next - state->matches);
  return at;
}

// Finds the cheapest way from each position of the batch to its end.
static void choose(cpng_optimal *state, const uint8_t *bytes, size_t count) {
  const cpng_costs *costs = &state->costs;
  const uint32_t *next = state->matches + state->match_total;
  uint32_t *from = state->costs_from;
  uint32_t (*least_sum)(const uint32_t *, const uint16_t *, uint32_t, uint32_t, uint32_t *) =
      cpng_kernel()->least_sum;
  from[count] = 0;
  for (size_t at = count; at-- > 0;) {
    unsigned matches = state->match_counts[at];
    if (matches == INSIDE) {
      at -= state->choices[at];
      uint32_t match = *--next, length = length_of(match);
      state->choices[at] = match;
      from[at] = from[at + length] + costs->length[length] +
                 costs->distance[cpng_distance_symbol(distance_of(match)).symbol];
      continue;
    }
    uint32_t best = from[at + 1] + costs->literal[bytes[at]], choice = 0;
    uint32_t length = CPNG_MIN_MATCH, left = (uint32_t)(count - at);
    next -= matches;
    for (unsigned i = 0; i < matches; i++) {
      uint32_t longest = length_of(next[i]), distance = distance_of(next[i]);
      uint32_t cost = costs->distance[cpng_distance_symbol(distance).symbol];
      if (longest > left) longest = left;
      if (longest >= length + 7) {
        uint32_t sum, least = least_sum(from + at, costs->length, length, longest, &sum);
        if (cost + sum < best) {
          best = cost + sum;
          choice = packed(least, distance);
        }
        length = longest + 1;
        continue;
      }
      for (; length <= longest; length++) {
        uint32_t total = cost + costs->length[length] + from[at + length];
        if (total < best) {
          best = total;
          choice = packed(length, distance);
        }
      }
    }
    from[at] = best;
    state->choices[at] = choice;
  }
}

static size_t follow(const cpng_optimal *state, size_t count, cpng_sequence *sequences) {
  cpng_sequence *next = sequences;
  uint32_t literals = 0;
  for (size_t at = 0; at < count;) {
    uint32_t choice = state->choices[at];
    if (choice == 0) {
      literals++;
      at++;
      continue;
    }
    *next++ = (cpng_sequence){literals, (uint16_t)length_of(choice), (uint16_t)distance_of(choice)};
    literals = 0;
    at += length_of(choice);
  }
  *next++ = (cpng_sequence){literals, 0, 0};
  return (size_t)(next - sequences);
}

size_t cpng_parse_optimally(cpng_optimal *state, const cpng_optimal_effort *effort,
                            const cpng_text *text, size_t from, cpng_sequence *sequences,
                            size_t *sequence_count) {
  size_t batch = find_matches(&(search){state, effort, text}, from);
  const uint8_t *bytes = text->bytes + from;
  cpng_counts before = state->counts;
  for (uint32_t pass = 0; pass < effort->passes; pass++) {
    choose(state, bytes, batch);
    *sequence_count = follow(state, batch, sequences);
    cpng_counts fresh;
    cpng_count(&fresh, &(cpng_block){bytes, batch, sequences, *sequence_count});
    state->counts = before;
    cpng_counts_fade(&state->counts, &fresh);
    cpng_costs_learn(&state->costs, &state->counts);
  }
  return from + batch;
}
