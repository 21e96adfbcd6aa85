// Writes literals 32 at a time: their codes by shuffles, joined to groups of 4 by shifts.
#include "grouped.h"

enum { VECTOR_LITERALS = 32 };

typedef cpng_groups vector_codes;

INLINE const vector_codes *codes_for_vectors(vector_codes *room, const cpng_emit_tables *tables) {
  (void)room;
  return tables->grouped ? &tables->groups : NULL;
}

static const uint8_t positions[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

INLINE vector table(const uint8_t *sixteen) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)sixteen));
}

INLINE vector look_up(const uint8_t *sixteen, vector index) {
  return _mm256_shuffle_epi8(table(sixteen), index);
}

// The same for the literals outside the groups: a shuffle gives zero for an index of 128 or more.
INLINE vector look_up_single(const uint8_t *first, const uint8_t *last, vector in_first,
                             vector in_last) {
  return _mm256_or_si256(look_up(first, in_first), look_up(last, in_last));
}

// Two codes of 16 bits in each 32, of which the first is `lengths` bits long.
INLINE vector join32(vector codes, vector lengths) {
  vector first = _mm256_blend_epi16(codes, _mm256_setzero_si256(), 0xaa);
  return _mm256_or_si256(first, _mm256_sllv_epi32(_mm256_srli_epi32(codes, 16), lengths));
}

INLINE vector join64(vector codes, vector lengths) {
  vector first = _mm256_blend_epi32(codes, _mm256_setzero_si256(), 0xaa);
  return _mm256_or_si256(first, _mm256_sllv_epi64(_mm256_srli_epi64(codes, 32), lengths));
}

// Writes up to 32 literals, or none if a code is too long for this. If some are to be left out,
// they are read all the same.
INLINE bool write_vector(cpng_bits *bits, const vector_codes *groups, const uint8_t *bytes,
                         size_t count, bool whole) {
  enum { MOST = 56 };  // bits that can be put at once
  static const uint8_t reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  const vector nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
  const vector ones = _mm256_set1_epi8(1), most = _mm256_set1_epi32(MOST);
  vector literals = v_load(bytes), low = _mm256_and_si256(literals, nibble);
  vector high = _mm256_and_si256(_mm256_srli_epi16(literals, 4), nibble);
  // The lower half where the upper one is 0 or 15, and 128 or more elsewhere.
  const vector push = _mm256_set1_epi8(0x70);
  vector in_first = _mm256_adds_epu8(literals, push);
  vector in_last = _mm256_adds_epu8(_mm256_xor_si256(literals, _mm256_set1_epi8(-1)), push);
  vector lengths =
      _mm256_or_si256(look_up(groups->length, high),
                      look_up_single(groups->first_length, groups->last_length, in_first, in_last));

  // A group's prefix and 4 bits behind it, or the whole code of one outside: its scale is zero.
  vector last = _mm256_add_epi8(low, look_up(groups->offset, high));
  vector carry = _mm256_cmpgt_epi8(last, nibble);
  last = look_up(reversed, last);
  vector code_low =
      _mm256_blendv_epi8(look_up(groups->prefix_low, high), look_up(groups->next_low, high), carry);
  vector code_high = _mm256_blendv_epi8(look_up(groups->prefix_high, high),
                                        look_up(groups->next_high, high), carry);
  code_low = _mm256_or_si256(
      code_low, look_up_single(groups->first_low, groups->last_low, in_first, in_last));
  code_high = _mm256_or_si256(
      code_high, look_up_single(groups->first_high, groups->last_high, in_first, in_last));
  vector scale_low = look_up(groups->scale_low, high);
  vector scale_high = look_up(groups->scale_high, high);
  if (!whole) {
    vector wanted = _mm256_cmpgt_epi8(_mm256_set1_epi8((char)count), v_load(positions));
    lengths = _mm256_and_si256(lengths, wanted);
    last = _mm256_and_si256(last, wanted);
    code_low = _mm256_and_si256(code_low, wanted);
    code_high = _mm256_and_si256(code_high, wanted);
  }

  // 16 bits a code: the first 8 bytes of both lanes, and the others.
  vector a = _mm256_or_si256(_mm256_unpacklo_epi8(code_low, code_high),
                             _mm256_mullo_epi16(_mm256_unpacklo_epi8(last, zero),
                                                _mm256_unpacklo_epi8(scale_low, scale_high)));
  vector b = _mm256_or_si256(_mm256_unpackhi_epi8(code_low, code_high),
                             _mm256_mullo_epi16(_mm256_unpackhi_epi8(last, zero),
                                                _mm256_unpackhi_epi8(scale_low, scale_high)));
  vector evens = _mm256_and_si256(lengths, _mm256_set1_epi16(255));
  a = join32(a, _mm256_unpacklo_epi16(evens, zero));
  b = join32(b, _mm256_unpackhi_epi16(evens, zero));
  vector pairs = _mm256_maddubs_epi16(lengths, ones);
  vector quads = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  evens = _mm256_blend_epi16(pairs, zero, 0xaa);
  a = join64(a, _mm256_unpacklo_epi32(evens, zero));
  b = join64(b, _mm256_unpackhi_epi32(evens, zero));

  // Eight codes in each 64 bits, in order, if they fit; mostly they do.
  vector halves = _mm256_unpacklo_epi64(a, b), others = _mm256_unpackhi_epi64(a, b);
  evens = _mm256_blend_epi32(quads, zero, 0xaa);
  vector sums = _mm256_add_epi64(evens, _mm256_srli_epi64(quads, 32));
  vector eights = _mm256_or_si256(halves, _mm256_sllv_epi64(others, evens));
  uint64_t codes[8], counts[4];
  if (_mm256_testz_si256(_mm256_cmpgt_epi32(sums, most), ones)) {
    _mm256_storeu_si256((__m256i *)codes, eights);
    _mm256_storeu_si256((__m256i *)counts, sums);
    for (unsigned i = 0; i < 4; i++)
      cpng_put(bits, codes[i], (unsigned)counts[i]);
    return true;
  }
  if (!_mm256_testz_si256(_mm256_cmpgt_epi32(quads, most), ones)) return false;
  _mm256_storeu_si256((__m256i *)codes, halves);
  _mm256_storeu_si256((__m256i *)(codes + 4), others);
  _mm256_storeu_si256((__m256i *)counts, quads);
  for (unsigned i = 0; i < 4; i++) {
    cpng_put(bits, codes[i], (uint32_t)counts[i]);
    cpng_put(bits, codes[4 + i], (unsigned)(counts[i] >> 32));
  }
  return true;
}
