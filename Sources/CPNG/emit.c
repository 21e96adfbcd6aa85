#include "emit.h"

static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static void count_literals(uint32_t (*counts)[256], const uint8_t *bytes, size_t count) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    counts[0][bytes[i]]++;
    counts[1][bytes[i + 1]]++;
    counts[2][bytes[i + 2]]++;
    counts[3][bytes[i + 3]]++;
  }
  for (; i < count; i++)
    counts[0][bytes[i]]++;
}

void cpng_count(cpng_counts *counts, const cpng_block *block) {
  // Four tables, so that equal neighbours don't wait for each other's increment.
  uint32_t literals[4][256];
  memset(literals, 0, sizeof literals);
  memset(counts, 0, sizeof *counts);
  const uint8_t *next = block->bytes;
  for (size_t i = 0; i < block->sequence_count; i++) {
    cpng_sequence sequence = block->sequences[i];
    count_literals(literals, next, sequence.literals);
    next += sequence.literals + sequence.length;
    if (sequence.length == 0) continue;
    counts->literals[cpng_length_symbol(sequence.length).symbol]++;
    counts->distances[cpng_distance_symbol(sequence.distance).symbol]++;
  }
  for (unsigned i = 0; i < 256; i++)
    counts->literals[i] = literals[0][i] + literals[1][i] + literals[2][i] + literals[3][i];
  counts->literals[CPNG_END_OF_BLOCK] = 1;
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

void cpng_plan_block(cpng_plan *plan, const cpng_counts *counts, size_t bytes, unsigned limit) {
  memset(plan->literal_bits, 0, sizeof plan->literal_bits);
  memset(plan->distance_bits, 0, sizeof plan->distance_bits);
  cpng_huffman_lengths(counts->literals, CPNG_LITERALS, limit, plan->literal_bits);
  cpng_huffman_lengths(counts->distances, CPNG_DISTANCES, limit, plan->distance_bits);
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

static inline void put_packed(cpng_bits *bits, uint32_t entry) {
  cpng_put(bits, entry & 0xffff, entry >> 16);
}

static void write_literals(cpng_bits *bits, const uint32_t *table, const uint8_t *bytes,
                           size_t count) {
  for (; count >= 4; count -= 4, bytes += 4) {
    uint32_t a = table[bytes[0]], b = table[bytes[1]], c = table[bytes[2]], d = table[bytes[3]];
    uint64_t ab = (a & 0xffff) | (uint64_t)(b & 0xffff) << (a >> 16);
    uint64_t cd = (c & 0xffff) | (uint64_t)(d & 0xffff) << (c >> 16);
    unsigned ab_count = (a >> 16) + (b >> 16), cd_count = (c >> 16) + (d >> 16);
    if (ab_count + cd_count <= 56) {
      cpng_put(bits, ab | cd << ab_count, ab_count + cd_count);
    } else {
      cpng_put(bits, ab, ab_count);
      cpng_put(bits, cd, cd_count);
    }
  }
  for (; count > 0; count--)
    put_packed(bits, table[*bytes++]);
}

static void write_tokens(cpng_bits *bits, const cpng_block *block, const uint32_t *literals,
                         const uint32_t *distances) {
  const uint8_t *next = block->bytes;
  for (size_t i = 0; i < block->sequence_count; i++) {
    cpng_sequence sequence = block->sequences[i];
    write_literals(bits, literals, next, sequence.literals);
    next += sequence.literals + sequence.length;
    if (sequence.length == 0) continue;
    cpng_symbol length = cpng_length_symbol(sequence.length);
    cpng_symbol distance = cpng_distance_symbol(sequence.distance);
    uint32_t entry = literals[length.symbol];
    unsigned count = entry >> 16;
    uint64_t value = (entry & 0xffff) | (uint64_t)length.extra << count;
    count += length.extra_count;
    entry = distances[distance.symbol];
    value |= (uint64_t)(entry & 0xffff) << count;
    count += entry >> 16;
    value |= (uint64_t)distance.extra << count;
    count += distance.extra_count;
    cpng_put(bits, value, count);
  }
  put_packed(bits, literals[CPNG_END_OF_BLOCK]);
}

static void pack(uint32_t *table, const uint8_t *lengths, unsigned symbols) {
  uint16_t codes[CPNG_ALPHABET_MAX];
  cpng_huffman_codes(lengths, symbols, codes);
  for (unsigned symbol = 0; symbol < symbols; symbol++)
    table[symbol] = packed(codes[symbol], lengths[symbol]);
}

void cpng_write_block(cpng_bits *bits, const cpng_plan *plan, const cpng_block *block, bool final) {
  uint32_t literals[CPNG_ALPHABET_MAX], distances[32];
  if (plan->form == CPNG_STORED) {
    write_stored(bits, block->bytes, block->count, final);
    return;
  }
  if (plan->form == CPNG_FIXED) {
    uint8_t lengths[CPNG_ALPHABET_MAX];
    for (unsigned symbol = 0; symbol < CPNG_ALPHABET_MAX; symbol++)
      lengths[symbol] = (uint8_t)fixed_bits(symbol);
    pack(literals, lengths, CPNG_ALPHABET_MAX);
    memset(lengths, 5, 32);
    pack(distances, lengths, 32);
    cpng_put(bits, final | 1 << 1, 3);
  } else {
    pack(literals, plan->literal_bits, CPNG_LITERALS);
    pack(distances, plan->distance_bits, CPNG_DISTANCES);
    write_header(bits, plan, final);
  }
  write_tokens(bits, block, literals, distances);
}

void cpng_write_empty(cpng_bits *bits, bool final) {
  if (final) {
    cpng_put(bits, 1 | 1 << 1, 3 + 7);  // a fixed block with nothing but its end, 7 zeros
    cpng_align(bits);
  } else {
    write_stored(bits, bits->next, 0, false);
  }
}
