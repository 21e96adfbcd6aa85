// Writes literals 64 at a time, whatever their code: by look-ups in tables of 256 bytes, joined to
// groups of 8 by shifts.
#include "emit.h"

enum { VECTOR_LITERALS = 64 };

// The codes of all literals, by a quarter of the alphabet each.
typedef struct {
  __m512i length[4], low[4], high[4];
} vector_codes;

INLINE const vector_codes *codes_for_vectors(vector_codes *room, const cpng_emit_tables *tables) {
  uint8_t length[256], low[256], high[256];
  for (unsigned i = 0; i < 256; i++) {
    length[i] = (uint8_t)(tables->literals[i] >> 16);
    low[i] = (uint8_t)tables->literals[i];
    high[i] = (uint8_t)(tables->literals[i] >> 8);
  }
  for (unsigned quarter = 0; quarter < 4; quarter++) {
    room->length[quarter] = _mm512_loadu_si512(length + 64 * quarter);
    room->low[quarter] = _mm512_loadu_si512(low + 64 * quarter);
    room->high[quarter] = _mm512_loadu_si512(high + 64 * quarter);
  }
  return room;
}

// Those of 64 literals that lie in the second, third and last quarter of the alphabet.
typedef struct {
  __mmask64 second, third, last;
} quarters;

INLINE quarters quarters_of(__m512i literals) {
  __mmask64 upper = _mm512_movepi8_mask(literals);
  __mmask64 odd = _mm512_movepi8_mask(_mm512_slli_epi16(literals, 1));
  return (quarters){odd & ~upper, upper & ~odd, upper & odd};
}

// A look-up uses the lower 6 bits of a literal.
INLINE __m512i look_up(const __m512i table[4], __m512i literals, quarters in) {
  __m512i found = _mm512_permutexvar_epi8(literals, table[0]);
  found = _mm512_mask_permutexvar_epi8(found, in.second, literals, table[1]);
  found = _mm512_mask_permutexvar_epi8(found, in.third, literals, table[2]);
  return _mm512_mask_permutexvar_epi8(found, in.last, literals, table[3]);
}

// Two codes of 16 bits in each 32, of which the first is `lengths` bits long.
INLINE __m512i join32(__m512i codes, __m512i lengths) {
  __m512i first = _mm512_and_si512(codes, _mm512_set1_epi32(0xffff));
  return _mm512_or_si512(first, _mm512_sllv_epi32(_mm512_srli_epi32(codes, 16), lengths));
}

INLINE __m512i join64(__m512i codes, __m512i lengths) {
  __m512i first = _mm512_and_si512(codes, _mm512_set1_epi64(0xffffffff));
  return _mm512_or_si512(first, _mm512_sllv_epi64(_mm512_srli_epi64(codes, 32), lengths));
}

// Writes up to 64 literals, or none if a code is too long for this. If some are to be left out,
// they are read all the same.
INLINE bool write_vector(cpng_bits *bits, const vector_codes *table, const uint8_t *bytes,
                         size_t count, bool whole) {
  enum { MOST = 56 };  // bits that can be put at once
  const __m512i zero = _mm512_setzero_si512();
  __m512i literals = _mm512_loadu_si512(bytes);
  quarters in = quarters_of(literals);
  __m512i lengths = look_up(table->length, literals, in);
  __m512i low = look_up(table->low, literals, in), high = look_up(table->high, literals, in);
  if (!whole) {
    __mmask64 wanted = ((__mmask64)1 << count) - 1;
    lengths = _mm512_maskz_mov_epi8(wanted, lengths);
    low = _mm512_maskz_mov_epi8(wanted, low);
    high = _mm512_maskz_mov_epi8(wanted, high);
  }

  // 16 bits a code: the first 8 bytes of all lanes, and the others.
  __m512i a = _mm512_unpacklo_epi8(low, high), b = _mm512_unpackhi_epi8(low, high);
  __m512i evens = _mm512_and_si512(lengths, _mm512_set1_epi16(255));
  a = join32(a, _mm512_unpacklo_epi16(evens, zero));
  b = join32(b, _mm512_unpackhi_epi16(evens, zero));
  __m512i pairs = _mm512_maddubs_epi16(lengths, _mm512_set1_epi8(1));
  evens = _mm512_and_si512(pairs, _mm512_set1_epi32(0xffff));
  __m512i quads = _mm512_add_epi32(evens, _mm512_srli_epi32(pairs, 16));
  a = join64(a, _mm512_unpacklo_epi32(evens, zero));
  b = join64(b, _mm512_unpackhi_epi32(evens, zero));
  if (_mm512_cmpgt_epi32_mask(quads, _mm512_set1_epi32(MOST)) != 0) return false;

  // Eight codes in each 64 bits, in order, where they fit; mostly they do.
  __m512i halves = _mm512_unpacklo_epi64(a, b), others = _mm512_unpackhi_epi64(a, b);
  evens = _mm512_and_si512(quads, _mm512_set1_epi64(0xffffffff));
  __m512i sums = _mm512_add_epi64(evens, _mm512_srli_epi64(quads, 32));
  __m512i eights = _mm512_or_si512(halves, _mm512_sllv_epi64(others, evens));
  unsigned over = _mm512_cmpgt_epi64_mask(sums, _mm512_set1_epi64(MOST));
  uint64_t whole_codes[8], codes[2][8], counts[8], first_counts[8];
  _mm512_storeu_si512(counts, sums);
  _mm512_storeu_si512(whole_codes, eights);
  if (over != 0) {
    _mm512_storeu_si512(codes[0], halves);
    _mm512_storeu_si512(codes[1], others);
    _mm512_storeu_si512(first_counts, evens);
  }
  for (unsigned part = 0; part < 8; part += 4, over >>= 4) {
    for (unsigned i = part; i < part + 4 && (over & 15) == 0; i++)
      cpng_put(bits, whole_codes[i], (unsigned)counts[i]);
    for (unsigned i = part; i < part + 4 && (over & 15) != 0; i++) {
      cpng_put(bits, codes[0][i], (unsigned)first_counts[i]);
      cpng_put(bits, codes[1][i], (unsigned)(counts[i] - first_counts[i]));
    }
  }
  return true;
}
