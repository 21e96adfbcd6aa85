// Tokens to bits. Included by a kernel's file behind its vectors.
#include "emit.h"

INLINE void put_packed(cpng_bits *bits, uint32_t entry) {
  cpng_put(bits, entry & 0xffff, entry >> 16);
}

// The code of a literal, or nothing if it isn't wanted.
INLINE uint32_t entry_if(bool wanted, uint32_t entry) { return entry & -(uint32_t)wanted; }

// Reads up to 3 bytes more, so that the last ones need no branches: how many there are can't be
// predicted.
INLINE void write_literals(cpng_bits *bits, const uint32_t *table, const uint8_t *bytes,
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
  uint32_t a = entry_if(count > 0, table[bytes[0]]), b = entry_if(count > 1, table[bytes[1]]);
  uint32_t c = entry_if(count > 2, table[bytes[2]]);
  unsigned ab_count = (a >> 16) + (b >> 16);
  uint64_t ab = (a & 0xffff) | (uint64_t)(b & 0xffff) << (a >> 16);
  cpng_put(bits, ab | (uint64_t)(c & 0xffff) << ab_count, ab_count + (c >> 16));
}

// Writes literals until some come whose codes are too long for this; returns how many were written.
INLINE size_t write_vectors(cpng_bits *bits, const vector_codes *codes, const uint8_t *bytes,
                            size_t count) {
  size_t done = 0;
  for (; done + VECTOR_LITERALS <= count; done += VECTOR_LITERALS) {
    if (!write_vector(bits, codes, bytes + done, VECTOR_LITERALS, true)) return done;
  }
  if (count - done <= CPNG_FEW_LITERALS) return done;
  return write_vector(bits, codes, bytes + done, count - done, false) ? count : done;
}

// Without `codes` there is no way to write many literals at once.
INLINE void write_piece(cpng_bits *bits, const cpng_emit_tables *tables, const vector_codes *codes,
                        const uint8_t *bytes, size_t count) {
  while (codes != NULL && count > CPNG_FEW_LITERALS) {
    size_t done = write_vectors(bits, codes, bytes, count);
    bytes += done;
    count -= done;
    if (count <= CPNG_FEW_LITERALS) break;
    // Codes too long for the vectors: rare, and past them it goes on as before.
    write_literals(bits, tables->literals, bytes, CPNG_FEW_LITERALS);
    bytes += CPNG_FEW_LITERALS;
    count -= CPNG_FEW_LITERALS;
  }
  write_literals(bits, tables->literals, bytes, count);
}

// A match of up to 258 bytes with all its bits.
typedef struct {
  uint64_t bits;
  unsigned count;
} match_code;

INLINE match_code code_of(const cpng_emit_tables *tables, unsigned length, unsigned distance) {
  cpng_symbol by_length = cpng_length_symbol(length);
  cpng_symbol by_distance = cpng_distance_symbol(distance);
  uint32_t entry = tables->literals[by_length.symbol];
  match_code code = {entry & 0xffff, entry >> 16};
  code.bits |= (uint64_t)by_length.extra << code.count;
  code.count += by_length.extra_count;
  entry = tables->distances[by_distance.symbol];
  code.bits |= (uint64_t)(entry & 0xffff) << code.count;
  code.count += entry >> 16;
  code.bits |= (uint64_t)by_distance.extra << code.count;
  code.count += by_distance.extra_count;
  return code;
}

// A long match. Its pieces are mostly the longest ones, and of those four often fit at once. In all
// they take less room than CPNG_EMIT_SLACK.
INLINE void put_pieces(cpng_bits *bits, const cpng_emit_tables *tables, cpng_pieces pieces,
                       unsigned distance) {
  match_code code = code_of(tables, CPNG_MAX_MATCH, distance);
  if (code.count <= 14) {
    uint64_t two = code.bits | code.bits << code.count;
    uint64_t four = two | two << 2 * code.count;
    for (; pieces.whole >= 4; pieces.whole -= 4)
      cpng_put(bits, four, 4 * code.count);
  }
  for (; pieces.whole > 0; pieces.whole--)
    cpng_put(bits, code.bits, code.count);
  code = code_of(tables, pieces.rest, distance);
  cpng_put(bits, code.bits, code.count);
  if (pieces.last == 0) return;
  code = code_of(tables, pieces.last, distance);
  cpng_put(bits, code.bits, code.count);
}

CPNG_TARGET static bool write_tokens(cpng_bits *out, const cpng_block *block,
                                     const cpng_emit_tables *tables, const uint8_t *end) {
  cpng_bits state = *out, *bits = &state;
  const uint8_t *next = block->bytes;
  vector_codes room;
  const vector_codes *codes = codes_for_vectors(&room, tables);
  for (size_t i = 0; i < block->sequence_count; i++) {
    cpng_sequence sequence = block->sequences[i];
    for (size_t left = sequence.literals, piece; left > 0; left -= piece, next += piece) {
      piece = left < CPNG_EMIT_PIECE ? left : CPNG_EMIT_PIECE;
      if (bits->next > end) return false;
      write_piece(bits, tables, codes, next, piece);
    }
    if (bits->next > end) return false;
    next += sequence.length;
    if (sequence.length > CPNG_MAX_MATCH) {
      put_pieces(bits, tables, cpng_cut_match(sequence.length), sequence.distance);
    } else if (sequence.length != 0) {
      match_code code = code_of(tables, sequence.length, sequence.distance);
      cpng_put(bits, code.bits, code.count);
    }
  }
  put_packed(bits, tables->literals[CPNG_END_OF_BLOCK]);
  *out = state;
  return true;
}
