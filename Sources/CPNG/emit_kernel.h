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

CPNG_TARGET static bool write_tokens(cpng_bits *out, const cpng_block *block,
                                     const cpng_emit_tables *tables, const uint8_t *end) {
  cpng_bits state = *out, *bits = &state;
  const uint32_t *literals = tables->literals, *distances = tables->distances;
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
  *out = state;
  return true;
}
