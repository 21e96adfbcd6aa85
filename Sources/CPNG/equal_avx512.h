// Compares 64 bytes with AVX-512. Included by a kernel's file behind its vectors.

INLINE uint64_t equal64(const uint8_t *a, const uint8_t *b) {
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}
