#include "emit.h"
#include "kernel.h"

static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// Four tables, so that equal neighbours don't wait for each other's increment.
typedef uint32_t four_counts[4][256];

static inline void count_four(four_counts counts, const uint8_t *bytes) {
  counts[0][bytes[0]]++;
  counts[1][bytes[1]]++;
  counts[2][bytes[2]]++;
  counts[3][bytes[3]]++;
}

// Reads up to 3 bytes more, so that the last ones need no branches.
static inline void count_literals(four_counts counts, const uint8_t *bytes, size_t count) {
  for (; count >= 4; count -= 4, bytes += 4)
    count_four(counts, bytes);
  counts[0][bytes[0]] += count > 0;
  counts[1][bytes[1]] += count > 1;
  counts[2][bytes[2]] += count > 2;
}

static void count_matches(cpng_counts *counts, const cpng_block *block) {
  for (size_t i = 0; i < block->sequence_count; i++) {
    cpng_sequence sequence = block->sequences[i];
    if (sequence.length == 0) continue;
    uint32_t *distance = &counts->distances[cpng_distance_symbol(sequence.distance).symbol];
    if (sequence.length <= CPNG_MAX_MATCH) {
      counts->literals[cpng_length_symbol(sequence.length).symbol]++;
      ++*distance;
      continue;
    }
    cpng_pieces pieces = cpng_cut_match(sequence.length);
    counts->literals[cpng_length_symbol(CPNG_MAX_MATCH).symbol] += pieces.whole;
    counts->literals[cpng_length_symbol(pieces.rest).symbol]++;
    if (pieces.last != 0) counts->literals[cpng_length_symbol(pieces.last).symbol]++;
    *distance += pieces.whole + 1 + (pieces.last != 0);
  }
  counts->literals[CPNG_END_OF_BLOCK] = 1;
}

void cpng_count(cpng_counts *counts, const cpng_block *block) {
  four_counts literals;
  memset(literals, 0, sizeof literals);
  memset(counts, 0, sizeof *counts);
  const uint8_t *next = block->bytes;
  for (size_t i = 0; i < block->sequence_count; i++) {
    count_literals(literals, next, block->sequences[i].literals);
    next += block->sequences[i].literals + block->sequences[i].length;
  }
  for (unsigned i = 0; i < 256; i++)
    counts->literals[i] = literals[0][i] + literals[1][i] + literals[2][i] + literals[3][i];
  count_matches(counts, block);
}

void cpng_count_sample(cpng_counts *counts, const cpng_block *block) {
  enum { PIECE = 16, SHARE = 16, LONG = 512, MANY = 256 };
  four_counts shares, wholes;
  memset(shares, 0, sizeof shares);
  memset(wholes, 0, sizeof wholes);
  memset(counts, 0, sizeof *counts);
  const uint8_t *next = block->bytes;
  const bool many = block->sequence_count > MANY;
  unsigned missed = many;
  for (size_t i = 0; i < block->sequence_count; i++) {
    size_t count = block->sequences[i].literals, done = 0;
    if (count >= LONG) {
      missed = 1;
      for (; done + SHARE * PIECE <= count; done += SHARE * PIECE) {
        for (size_t at = 0; at < PIECE; at += 4)
          count_four(shares, next + done + at);
      }
    } else if (!many) {
      count_literals(wholes, next, count);
    } else if (i % SHARE == 0) {
      count_literals(shares, next, count);
    }
    next += count + block->sequences[i].length;
  }
  for (unsigned i = 0; i < 256; i++) {
    uint32_t share = shares[0][i] + shares[1][i] + shares[2][i] + shares[3][i];
    counts->literals[i] = wholes[0][i] + wholes[1][i] + wholes[2][i] + wholes[3][i];
    counts->literals[i] += SHARE * share + missed;
  }
  count_matches(counts, block);
}

static unsigned item_extra_bits(unsigned item) {
  return item < 16 ? 0 : item == 16 ? 2 : item == 17 ? 3 : 7;
}

static void add_item(cpng_plan *plan, uint32_t *counts, unsigned item, unsigned extra) {
  plan->items[plan->item_count] = (uint8_t)item;
  plan->extras[plan->item_count++] = (uint8_t)extra;
  counts[item]++;
}

// Writes the code lengths as runs (RFC 1951, section 3.2.7) and returns the header's bits.
static uint64_t plan_header(cpng_plan *plan) {
  uint8_t lengths[CPNG_LITERALS + CPNG_DISTANCES];
  plan->literal_count = CPNG_LITERALS;
  while (plan->literal_bits[plan->literal_count - 1] == 0)
    plan->literal_count--;
  if (plan->literal_count < 257) plan->literal_count = 257;
  plan->distance_count = CPNG_DISTANCES;
  while (plan->distance_bits[plan->distance_count - 1] == 0)
    plan->distance_count--;
  unsigned total = plan->literal_count + plan->distance_count;
  memcpy(lengths, plan->literal_bits, plan->literal_count);
  memcpy(lengths + plan->literal_count, plan->distance_bits, plan->distance_count);

  uint32_t counts[19] = {0};
  plan->item_count = 0;
  for (unsigned i = 0; i < total;) {
    unsigned length = lengths[i], run = 1;
    while (i + run < total && lengths[i + run] == length)
      run++;
    i += run;
    if (length != 0) {
      add_item(plan, counts, length, 0);
      run--;
    }
    while (run >= 3) {
      unsigned most = length == 0 ? 138 : 6, piece = run < most ? run : most;
      if (length != 0)
        add_item(plan, counts, 16, piece - 3);
      else if (piece <= 10)
        add_item(plan, counts, 17, piece - 3);
      else
        add_item(plan, counts, 18, piece - 11);
      run -= piece;
    }
    while (run-- > 0)
      add_item(plan, counts, length, 0);
  }
  cpng_huffman_lengths(counts, 19, 7, plan->order_bits);
  plan->order_count = 19;
  while (plan->order_bits[order[plan->order_count - 1]] == 0)
    plan->order_count--;
  if (plan->order_count < 4) plan->order_count = 4;
  uint64_t bits = 3 + 5 + 5 + 4 + 3 * plan->order_count;
  for (unsigned item = 0; item < 19; item++)
    bits += (uint64_t)counts[item] * (plan->order_bits[item] + item_extra_bits(item));
  return bits;
}

static unsigned fixed_bits(unsigned symbol) {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

void cpng_finish_plan(cpng_plan *plan, const cpng_counts *counts, size_t bytes, unsigned limit) {
  memset(plan->distance_bits, 0, sizeof plan->distance_bits);
  cpng_huffman_lengths(counts->distances, CPNG_DISTANCES, limit, plan->distance_bits);
  plan->grouped = false;
  uint64_t dynamic = plan_header(plan), fixed = 3, extra = 0;
  for (unsigned symbol = 0; symbol < CPNG_LITERALS; symbol++) {
    uint64_t count = counts->literals[symbol];
    dynamic += count * plan->literal_bits[symbol];
    fixed += count * fixed_bits(symbol);
    if (symbol > CPNG_END_OF_BLOCK) extra += count * cpng_length_extra(symbol);
  }
  for (unsigned symbol = 0; symbol < CPNG_DISTANCES; symbol++) {
    uint64_t count = counts->distances[symbol];
    dynamic += count * plan->distance_bits[symbol];
    fixed += count * 5;
    extra += count * cpng_distance_extra(symbol);
  }
  dynamic += extra;
  fixed += extra;
  uint64_t stored = UINT64_MAX;
  if (bytes != SIZE_MAX)
    stored = 8 * (uint64_t)bytes + (bytes / CPNG_STORED_MAX + 1) * (uint64_t)(3 + 7 + 32);
  plan->form = CPNG_DYNAMIC;
  plan->bits = dynamic;
  if (fixed <= plan->bits) {
    plan->form = CPNG_FIXED;
    plan->bits = fixed;
  }
  if (stored < plan->bits) {
    plan->form = CPNG_STORED;
    plan->bits = stored;
  }
}

void cpng_plan_block(cpng_plan *plan, const cpng_counts *counts, size_t bytes, unsigned limit) {
  memset(plan->literal_bits, 0, sizeof plan->literal_bits);
  cpng_huffman_lengths(counts->literals, CPNG_LITERALS, limit, plan->literal_bits);
  cpng_finish_plan(plan, counts, bytes, limit);
}

static void write_stored(cpng_bits *bits, const uint8_t *bytes, size_t count, bool final) {
  do {
    size_t piece = count < CPNG_STORED_MAX ? count : CPNG_STORED_MAX;
    cpng_put(bits, final && piece == count, 3);
    cpng_align(bits);
    cpng_put(bits, piece | (uint64_t)(~piece & 0xffff) << 16, 32);
    memcpy(bits->next, bytes, piece);
    bits->next += piece;
    bytes += piece;
    count -= piece;
  } while (count > 0);
}

static void write_header(cpng_bits *bits, const cpng_plan *plan, bool final) {
  uint16_t codes[19];
  cpng_huffman_codes(plan->order_bits, 19, codes);
  cpng_put(bits, final | 2 << 1, 3);
  cpng_put(bits, plan->literal_count - 257, 5);
  cpng_put(bits, plan->distance_count - 1, 5);
  cpng_put(bits, plan->order_count - 4, 4);
  for (unsigned i = 0; i < plan->order_count; i++)
    cpng_put(bits, plan->order_bits[order[i]], 3);
  for (unsigned i = 0; i < plan->item_count; i++) {
    unsigned item = plan->items[i], length = plan->order_bits[item];
    cpng_put(bits, codes[item] | (uint32_t)plan->extras[i] << length,
             length + item_extra_bits(item));
  }
}

// A code and its length in one word: the code in the low 16 bits.
static uint32_t packed(unsigned code, unsigned length) { return code | (uint32_t)length << 16; }

static void pack(uint32_t *table, const uint8_t *lengths, const uint16_t *codes, unsigned symbols) {
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    table[symbol] = packed(codes[symbol], lengths[symbol]);
}

void cpng_write_block(cpng_bits *bits, const cpng_plan *plan, const cpng_block *block, bool final) {
  if (plan->form == CPNG_STORED) {
    write_stored(bits, block->bytes, block->count, final);
    return;
  }
  const cpng_bits before = *bits;
  const uint8_t *end = bits->next + block->count + (block->count / CPNG_STORED_MAX + 1) * 5 + 1;
  uint8_t fixed[CPNG_ALPHABET_MAX], fives[32];
  const uint8_t *lengths = plan->literal_bits, *distance_lengths = plan->distance_bits;
  cpng_emit_tables tables;
  uint16_t codes[CPNG_ALPHABET_MAX], distance_codes[32];
  unsigned symbols = CPNG_LITERALS;
  if (plan->form == CPNG_FIXED) {
    symbols = CPNG_ALPHABET_MAX;
    for (unsigned symbol = 0; symbol < symbols; symbol++)
      fixed[symbol] = (uint8_t)fixed_bits(symbol);
    memset(fives, 5, sizeof fives);
    lengths = fixed;
    distance_lengths = fives;
    cpng_put(bits, final | 1 << 1, 3);
  } else {
    write_header(bits, plan, final);
  }
  cpng_huffman_codes(lengths, symbols, codes);
  cpng_huffman_codes(distance_lengths, 32, distance_codes);
  pack(tables.literals, lengths, codes, symbols);
  pack(tables.distances, distance_lengths, distance_codes, 32);
  tables.grouped = plan->grouped;
  if (plan->grouped) cpng_group_tables(&tables.groups, lengths, codes);
  if (!cpng_kernel()->write_tokens(bits, block, &tables, end)) {
    *bits = before;
    write_stored(bits, block->bytes, block->count, final);
  }
}

void cpng_write_empty(cpng_bits *bits, bool final) {
  if (final) {
    cpng_put(bits, 1 | 1 << 1, 3 + 7);  // a fixed block with nothing but its end, 7 zeros
    cpng_align(bits);
  } else {
    write_stored(bits, bits->next, 0, false);
  }
}
