// The cheapest of many match lengths, one at a time. Included by a kernel's file.

CPNG_TARGET static uint32_t least_sum(const uint32_t *from, const uint16_t *costs, uint32_t first,
                                      uint32_t last, uint32_t *sum) {
  uint32_t least = UINT32_MAX, where = first;
  for (uint32_t length = first; length <= last; length++) {
    uint32_t total = from[length] + costs[length];
    if (total >= least) continue;
    least = total;
    where = length;
  }
  *sum = least;
  return where;
}
