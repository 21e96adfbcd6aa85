// Compares 64 bytes with AVX2. Included by a kernel's file behind its vectors.

INLINE uint64_t equal64(const uint8_t *a, const uint8_t *b) {
  uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v_load(a), v_load(b)));
  uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v_load(a + 32), v_load(b + 32)));
  return low | (uint64_t)high << 32;
}
