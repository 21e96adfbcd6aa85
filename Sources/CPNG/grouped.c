#include "grouped.h"

enum {
  SINGLES = 32,  // literals -16 to 15
  GROUPS = 14,
  LIMIT = CPNG_MAX_BITS,
  GROUP_LIMIT = LIMIT - 4,
  OTHERS = CPNG_LITERALS - CPNG_END_OF_BLOCK,
  ITEMS = GROUPS + SINGLES + OTHERS,
};

static unsigned limit_of(unsigned item) { return item < GROUPS ? GROUP_LIMIT : LIMIT; }

// The item with the longest code among those up to `longest` bits that are `below` their limit by
// 1 at least.
static unsigned longest_item(const uint8_t *lengths, unsigned longest, unsigned below) {
  unsigned best = ITEMS;
  for (unsigned item = 0; item < ITEMS; item++) {
    if (lengths[item] == 0 || lengths[item] > longest) continue;
    if (below && lengths[item] >= limit_of(item)) continue;
    if (best == ITEMS || lengths[item] > lengths[best]) best = item;
  }
  return best;
}

// Shortens the codes of groups to their limit and makes room for that elsewhere.
static void limit_groups(uint8_t *lengths) {
  int excess = 0;
  for (unsigned item = 0; item < GROUPS; item++) {
    if (lengths[item] <= GROUP_LIMIT) continue;
    excess += (1 << (LIMIT - GROUP_LIMIT)) - (1 << (LIMIT - lengths[item]));
    lengths[item] = GROUP_LIMIT;
  }
  while (excess > 0) {
    unsigned item = longest_item(lengths, LIMIT, 1);
    excess -= 1 << (LIMIT - ++lengths[item]);
  }
  while (excess < 0) {  // too much room: a shorter code for those that fit in
    unsigned longest = LIMIT;
    unsigned item = longest_item(lengths, longest, 0);
    excess += 1 << (LIMIT - lengths[item]--);
  }
}

void cpng_plan_grouped(cpng_plan *plan, const cpng_counts *counts, size_t bytes) {
  uint32_t items[ITEMS] = {0};
  uint8_t lengths[ITEMS], *bits = plan->literal_bits;
  for (unsigned group = 0; group < GROUPS; group++) {
    for (unsigned i = 0; i < 16; i++)
      items[group] += counts->literals[16 * (group + 1) + i];
  }
  for (unsigned i = 0; i < 16; i++) {
    items[GROUPS + i] = counts->literals[i];
    items[GROUPS + 16 + i] = counts->literals[240 + i];
  }
  memcpy(items + GROUPS + SINGLES, counts->literals + CPNG_END_OF_BLOCK, OTHERS * sizeof *items);
  cpng_huffman_lengths(items, ITEMS, LIMIT, lengths);
  limit_groups(lengths);
  for (unsigned group = 0; group < GROUPS; group++)
    memset(bits + 16 * (group + 1), lengths[group] == 0 ? 0 : lengths[group] + 4, 16);
  memcpy(bits, lengths + GROUPS, 16);
  memcpy(bits + 240, lengths + GROUPS + 16, 16);
  memcpy(bits + CPNG_END_OF_BLOCK, lengths + GROUPS + SINGLES, OTHERS);
  cpng_finish_plan(plan, counts, bytes, LIMIT);
  plan->grouped = plan->form == CPNG_DYNAMIC;
}

// The first `length` bits of a code, as the number that counts codes up.
static unsigned number(unsigned code, unsigned length) {
  unsigned value = 0;
  for (unsigned i = 0; i < length; i++)
    value = value << 1 | (code >> i & 1);
  return value;
}

void cpng_group_tables(cpng_groups *groups, const uint8_t *lengths, const uint16_t *codes) {
  memset(groups, 0, sizeof *groups);
  for (unsigned half = 1; half < 15; half++) {
    unsigned length = lengths[16 * half], prefix = length - 4;
    if (length == 0) continue;
    // Codes count up through the sixteen; the first one's last 4 bits are rarely zero.
    unsigned first = number(codes[16 * half], length);
    unsigned low = codes[16 * half] & ((1u << prefix) - 1);
    unsigned next = codes[16 * half + 15] & ((1u << prefix) - 1);
    groups->length[half] = (uint8_t)length;
    groups->offset[half] = first & 15;
    groups->prefix_low[half] = (uint8_t)low;
    groups->prefix_high[half] = (uint8_t)(low >> 8);
    groups->next_low[half] = (uint8_t)next;
    groups->next_high[half] = (uint8_t)(next >> 8);
    groups->scale_low[half] = (uint8_t)(1u << prefix);
    groups->scale_high[half] = (uint8_t)(1u << prefix >> 8);
  }
  for (unsigned i = 0; i < 16; i++) {
    groups->first_length[i] = lengths[i];
    groups->first_low[i] = (uint8_t)codes[i];
    groups->first_high[i] = (uint8_t)(codes[i] >> 8);
    groups->last_length[i] = lengths[255 - i];
    groups->last_low[i] = (uint8_t)codes[255 - i];
    groups->last_high[i] = (uint8_t)(codes[255 - i] >> 8);
  }
}
