#include "parse_lazy.h"
#include "costs.h"
#include "runs.h"

typedef struct {
  uint32_t length, distance;
  int32_t saved;  // against literals, in the unit of cpng_costs
} match;

typedef struct {
  cpng_matcher *matcher;
  const cpng_effort *effort;
  const uint8_t *bytes;
  size_t count;
  uint32_t unit, stride;
  uint32_t recent;  // the distance of the last match, or 0
  // What is known from the tokens so far.
  cpng_counts counts;
  cpng_costs costs;
  int32_t literal;  // the cost of one on average
} parser;

// Longer matches are measured against average literals.
static int32_t saved_by(const parser *parser, const uint8_t *bytes, uint32_t length,
                        uint32_t distance) {
  int32_t literals = (int32_t)length * parser->literal;
  if (length < parser->effort->exact) {
    literals = 0;
    for (uint32_t i = 0; i < length; i++)
      literals += parser->costs.literal[bytes[i]];
  }
  return literals - parser->costs.length[length] -
         parser->costs.distance[cpng_distance_symbol(distance).symbol];
}

static inline void consider(const parser *parser, match *best, const uint8_t *here,
                            uint32_t distance, uint32_t limit) {
  // The byte that would make it longer, and three before.
  uint32_t tail = best->length < CPNG_SHORTEST_MATCH ? 0 : best->length - 3;
  if (best->length >= limit || cpng_load32(here + tail) != cpng_load32(here + tail - distance))
    return;
  uint32_t length = (uint32_t)cpng_match_length(here, here - distance, limit);
  if (length <= best->length || length < parser->effort->shortest) return;
  int32_t saved = saved_by(parser, here, length, distance);
  if (saved > best->saved) *best = (match){length, distance, saved};
}

// The best match at an index, which becomes a candidate itself. At least 8 bytes are left.
static match find(const parser *parser, size_t at) {
  const uint8_t *here = parser->bytes + at;
  size_t left = parser->count - at;
  uint32_t limit = left < CPNG_MAX_MATCH ? (uint32_t)left : CPNG_MAX_MATCH;
  uint32_t enough = parser->effort->enough;
  match best = {0, 0, 0};
  unsigned skipped = parser->effort->skipped;
  uint32_t step = cpng_matcher_insert(parser->matcher, at, cpng_hash(here, skipped));
  uint32_t distance = step;
  __builtin_prefetch(&parser->matcher->heads[cpng_hash(here + 1, skipped)]);
  if (here[0] == here[-1]) consider(parser, &best, here, 1, limit);
  if (best.length < enough && parser->unit <= at && parser->unit > 1)
    consider(parser, &best, here, parser->unit, limit);
  if (best.length < enough && parser->recent > parser->unit)
    consider(parser, &best, here, parser->recent, limit);
  if (best.length < enough && parser->stride <= at && parser->stride != parser->recent)
    consider(parser, &best, here, parser->stride, limit);
  for (uint32_t depth = parser->effort->depth; depth > 0; depth--) {
    if (step == 0 || distance > CPNG_WINDOW || best.length >= enough) break;
    consider(parser, &best, here, distance, limit);
    step = cpng_matcher_step(parser->matcher, at, distance);
    distance += step;
  }
  return best;
}

// Makes the costs again, from what is known.
static void learn(parser *parser) {
  cpng_costs_learn(&parser->costs, &parser->counts);
  uint64_t sum = 0, total = 0;
  for (unsigned i = 0; i < 256; i++) {
    sum += (uint64_t)parser->counts.literals[i] * parser->costs.literal[i];
    total += parser->counts.literals[i];
  }
  if (total > 0) parser->literal = (int32_t)(sum / total);
}

// Halves what is known, adds the tokens since, and makes the costs again.
static void learn_from(parser *parser, const cpng_block *fresh) {
  cpng_counts counts;
  cpng_count(&counts, fresh);
  cpng_counts_fade(&parser->counts, &counts);
  learn(parser);
}

// After so many matches or bytes the costs are made again.
enum { LEARN_MATCHES = 2048, LEARN_BYTES = 1 << 16 };

size_t cpng_parse_lazily(cpng_matcher *matcher, const cpng_effort *effort, const cpng_text *text,
                         const cpng_counts *expected, cpng_sequence *sequences) {
  const uint8_t *bytes = text->bytes;
  const size_t count = text->count, unit = text->unit;
  parser parser = {
      .matcher = matcher,
      .effort = effort,
      .bytes = bytes,
      .count = count,
      .unit = (uint32_t)unit,
      .stride = text->stride <= CPNG_WINDOW ? (uint32_t)text->stride : UINT32_MAX,
      .literal = 5 * CPNG_BIT,
  };
  cpng_matcher_begin(matcher, count);
  if (expected == NULL) {
    cpng_costs_guess(&parser.costs);
  } else {
    parser.counts = *expected;
    learn(&parser);
  }
  cpng_sequence *next = sequences, *learned = sequences;
  size_t learned_bytes = 0;
  size_t literals = 0;  // where they begin
  size_t misses = 0;
  for (size_t at = 1; at + 8 < count;) {
    match best = find(&parser, at);
    if (best.length == 0) {
      at += 1 + (misses++ >> effort->patience);
      continue;
    }
    misses = 0;
    while (best.length < effort->lazy && at + 1 + 8 < count) {
      match other = find(&parser, at + 1);
      if (other.saved <= best.saved + CPNG_BIT) break;
      best = other;
      at++;
    }
    size_t end = at + best.length, inside = at + 1;
    if (best.length == CPNG_MAX_MATCH && best.distance <= unit) {
      // The whole run but its rest, where another match may go on further.
      size_t more = cpng_match_length(bytes + end, bytes + end - best.distance, count - end);
      end += more - more % CPNG_MAX_MATCH;
    }
    while (at > literals && at > best.distance && bytes[at - 1] == bytes[at - 1 - best.distance])
      at--;
    next = cpng_add_match(next, at - literals, end - at, best.distance);
    parser.recent = best.distance;
    literals = at = end;
    // A run looks the same everywhere: a few of its bytes will do.
    size_t stop = inside + (best.distance <= unit ? 2 * unit : effort->inside);
    if (stop > end) stop = end;
    if (stop + 8 > count) stop = count - 8;
    for (; inside < stop; inside += 2)
      cpng_matcher_insert(matcher, inside, cpng_hash(bytes + inside, effort->skipped));
    if (next - learned >= LEARN_MATCHES || at - learned_bytes >= LEARN_BYTES) {
      learn_from(&parser, &(cpng_block){bytes + learned_bytes, at - learned_bytes, learned,
                                        (size_t)(next - learned)});
      learned = next;
      learned_bytes = at;
    }
  }
  *next++ = (cpng_sequence){(uint32_t)(count - literals), 0, 0};
  return (size_t)(next - sequences);
}
