// Writes literals 16 at a time: their codes by table look-ups, joined to groups of 4 by shifts.
#include "grouped.h"

enum { VECTOR_LITERALS = 16 };

typedef cpng_groups vector_codes;

INLINE const vector_codes *codes_for_vectors(vector_codes *room, const cpng_emit_tables *tables) {
  (void)room;
  return tables->grouped ? &tables->groups : NULL;
}

INLINE vector look_up(const uint8_t *sixteen, vector index) {
  return vqtbl1q_u8(vld1q_u8(sixteen), index);
}

// The same for the literals outside the groups: there is zero behind the tables' ends.
INLINE vector look_up_single(const uint8_t *first, const uint8_t *last, vector literals) {
  return vorrq_u8(look_up(first, literals), look_up(last, vmvnq_u8(literals)));
}

// Two codes of 16 bits in each 32, of which the first is `length` bits long.
INLINE uint32x4_t join32(uint16x8_t codes, uint32x4_t lengths) {
  uint32x4_t both = vreinterpretq_u32_u16(codes);
  uint32x4_t second = vshlq_u32(vshrq_n_u32(both, 16), vreinterpretq_s32_u32(lengths));
  return vorrq_u32(vandq_u32(both, vdupq_n_u32(0xffff)), second);
}

INLINE uint64x2_t join64(uint32x4_t codes, uint64x2_t lengths) {
  uint64x2_t both = vreinterpretq_u64_u32(codes);
  uint64x2_t second = vshlq_u64(vshrq_n_u64(both, 32), vreinterpretq_s64_u64(lengths));
  return vorrq_u64(vandq_u64(both, vdupq_n_u64(0xffffffff)), second);
}

// Writes up to 16 literals, or none if a code is too long for this. If some are to be left out,
// they are read all the same.
INLINE bool write_vector(cpng_bits *bits, const vector_codes *groups, const uint8_t *bytes,
                         size_t count, bool whole) {
  enum { MOST = 56 };  // bits that can be put at once
  static const uint8_t positions[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static const uint8_t reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  const vector nibble = vdupq_n_u8(15);
  vector literals = v_load(bytes), low = vandq_u8(literals, nibble);
  vector high = vshrq_n_u8(literals, 4);
  vector lengths = vorrq_u8(look_up(groups->length, high),
                            look_up_single(groups->first_length, groups->last_length, literals));

  // A group's prefix and 4 bits behind it, or the whole code of one outside: its scale is zero.
  vector last = vaddq_u8(low, look_up(groups->offset, high));
  vector carry = vcgtq_u8(last, nibble);
  last = look_up(reversed, vandq_u8(last, nibble));
  vector code_low =
      vbslq_u8(carry, look_up(groups->next_low, high), look_up(groups->prefix_low, high));
  vector code_high =
      vbslq_u8(carry, look_up(groups->next_high, high), look_up(groups->prefix_high, high));
  code_low = vorrq_u8(code_low, look_up_single(groups->first_low, groups->last_low, literals));
  code_high = vorrq_u8(code_high, look_up_single(groups->first_high, groups->last_high, literals));
  vector scale_low = look_up(groups->scale_low, high);
  vector scale_high = look_up(groups->scale_high, high);
  if (!whole) {
    vector wanted = vcgtq_u8(vdupq_n_u8((uint8_t)count), vld1q_u8(positions));
    lengths = vandq_u8(lengths, wanted);
    last = vandq_u8(last, wanted);
    code_low = vandq_u8(code_low, wanted);
    code_high = vandq_u8(code_high, wanted);
  }

  // 16 bits a code.
  uint16x8_t a = vreinterpretq_u16_u8(vzip1q_u8(code_low, code_high));
  uint16x8_t b = vreinterpretq_u16_u8(vzip2q_u8(code_low, code_high));
  a = vmlaq_u16(a, vmovl_u8(vget_low_u8(last)),
                vreinterpretq_u16_u8(vzip1q_u8(scale_low, scale_high)));
  b = vmlaq_u16(b, vmovl_high_u8(last), vreinterpretq_u16_u8(vzip2q_u8(scale_low, scale_high)));
  uint16x8_t evens = vandq_u16(vreinterpretq_u16_u8(lengths), vdupq_n_u16(255));
  uint32x4_t pairs_a = join32(a, vmovl_u16(vget_low_u16(evens)));
  uint32x4_t pairs_b = join32(b, vmovl_high_u16(evens));
  uint16x8_t pair_lengths = vpaddlq_u8(lengths);
  uint32x4_t even_pairs = vandq_u32(vreinterpretq_u32_u16(pair_lengths), vdupq_n_u32(0xffff));
  uint64x2_t quads_a = join64(pairs_a, vmovl_u32(vget_low_u32(even_pairs)));
  uint64x2_t quads_b = join64(pairs_b, vmovl_high_u32(even_pairs));
  uint32x4_t quad_lengths = vpaddlq_u16(pair_lengths);

  if (vmaxvq_u32(quad_lengths) > MOST) return false;
  cpng_put(bits, vgetq_lane_u64(quads_a, 0), vgetq_lane_u32(quad_lengths, 0));
  cpng_put(bits, vgetq_lane_u64(quads_a, 1), vgetq_lane_u32(quad_lengths, 1));
  cpng_put(bits, vgetq_lane_u64(quads_b, 0), vgetq_lane_u32(quad_lengths, 2));
  cpng_put(bits, vgetq_lane_u64(quads_b, 1), vgetq_lane_u32(quad_lengths, 3));
  return true;
}
