// Row filters, written once for all kernels. Included by a kernel's file behind its vectors.
#include "filter.h"

// How far ahead pixels are fetched, since large images come from memory. It may be further than the
// row goes on, which does no harm.
enum { AHEAD = 512 };

// One or more residuals; `at` is at least `unit`.
INLINE vector residual(cpng_filter filter, const uint8_t *row, const uint8_t *above, size_t at,
                       size_t unit) {
  vector here = v_load(row + at);
  switch (filter) {
  case CPNG_NONE:
    return here;
  case CPNG_SUB:
    return v_sub(here, v_load(row + at - unit));
  case CPNG_UP:
    return v_sub(here, v_load(above + at));
  case CPNG_AVERAGE:
    return v_sub(here, v_half(v_load(row + at - unit), v_load(above + at)));
  case CPNG_PAETH:
    return v_sub(here,
                 v_paeth(v_load(row + at - unit), v_load(above + at), v_load(above + at - unit)));
  }
  return here;
}

// One residual, anywhere in the row.
INLINE uint8_t lone_residual(cpng_filter filter, const uint8_t *row, const uint8_t *above,
                             size_t at, size_t unit) {
  int left = at < unit ? 0 : row[at - unit], up = above[at];
  int corner = at < unit ? 0 : above[at - unit];
  int to_left = up - corner, to_up = left - corner, to_corner = to_left + to_up;
  switch (filter) {
  case CPNG_NONE:
    return row[at];
  case CPNG_SUB:
    return (uint8_t)(row[at] - left);
  case CPNG_UP:
    return (uint8_t)(row[at] - up);
  case CPNG_AVERAGE:
    return (uint8_t)(row[at] - ((left + up) >> 1));
  case CPNG_PAETH:
    if (to_left < 0) to_left = -to_left;
    if (to_up < 0) to_up = -to_up;
    if (to_corner < 0) to_corner = -to_corner;
    if (to_left <= to_up && to_left <= to_corner) return (uint8_t)(row[at] - left);
    return (uint8_t)(row[at] - (to_up <= to_corner ? up : corner));
  }
  return row[at];
}

INLINE void filter_row(cpng_filter filter, uint8_t *restrict out, const uint8_t *restrict row,
                       const uint8_t *restrict above, size_t count, size_t unit) {
  size_t at = 0;
  for (; at < unit && at < count; at++)
    out[at] = lone_residual(filter, row, above, at, unit);
  for (; at + VECTOR <= count; at += VECTOR) {
    __builtin_prefetch((const void *)((uintptr_t)row + at + AHEAD));
    v_store(out + at, residual(filter, row, above, at, unit));
  }
  if (at == count) return;
  if (count >= unit + VECTOR) {  // once more over some that are done
    v_store(out + count - VECTOR, residual(filter, row, above, count - VECTOR, unit));
    return;
  }
  for (; at < count; at++)
    out[at] = lone_residual(filter, row, above, at, unit);
}

#define FILTER(name, filter)                                                                       \
  CPNG_TARGET static void name(uint8_t *restrict out, const uint8_t *restrict row,                 \
                               const uint8_t *restrict above, size_t count, size_t unit) {         \
    filter_row(filter, out, row, above, count, unit);                                              \
  }

FILTER(filter_none, CPNG_NONE)
FILTER(filter_sub, CPNG_SUB)
FILTER(filter_up, CPNG_UP)
FILTER(filter_average, CPNG_AVERAGE)
FILTER(filter_paeth, CPNG_PAETH)

// Costs are summed in bytes, for as many vectors as cannot overflow one.
enum { COST_VECTORS = 8, COST_PIECE = 32 };
_Static_assert(COST_VECTORS *CPNG_COST_MAX < 256, "a sum of costs has to fit a byte");
_Static_assert(COST_PIECE % VECTOR == 0, "a piece is made of whole vectors");

// Adds the costs of `pieces` pieces, `stride` bytes from one to the next.
INLINE void add_costs(uint64_t costs[5], const uint8_t *row, const uint8_t *above, size_t at,
                      size_t pieces, size_t stride, size_t unit) {
  vector none = v_set(0), sub = none, up = none, average = none, paeth = none;
  for (; pieces > 0; pieces--, at += stride) {
    for (size_t line = 0; line < stride; line += 64)
      __builtin_prefetch((const void *)((uintptr_t)row + at + line + AHEAD));
    none = v_add(none, v_cost(residual(CPNG_NONE, row, above, at, unit)));
    sub = v_add(sub, v_cost(residual(CPNG_SUB, row, above, at, unit)));
    up = v_add(up, v_cost(residual(CPNG_UP, row, above, at, unit)));
    average = v_add(average, v_cost(residual(CPNG_AVERAGE, row, above, at, unit)));
    paeth = v_add(paeth, v_cost(residual(CPNG_PAETH, row, above, at, unit)));
  }
  costs[CPNG_NONE] += v_sum(none);
  costs[CPNG_SUB] += v_sum(sub);
  costs[CPNG_UP] += v_sum(up);
  costs[CPNG_AVERAGE] += v_sum(average);
  costs[CPNG_PAETH] += v_sum(paeth);
}

CPNG_TARGET static void filter_costs(uint64_t costs[5], const uint8_t *row, const uint8_t *above,
                                     size_t count, size_t unit, size_t step) {
  size_t at = unit, stride = COST_PIECE * step;
  for (unsigned filter = 0; filter < 5; filter++)
    costs[filter] = 0;
  for (; at + COST_VECTORS * stride <= count; at += COST_VECTORS * stride) {
    for (size_t part = 0; part < COST_PIECE; part += VECTOR)
      add_costs(costs, row, above, at + part, COST_VECTORS, stride, unit);
  }
  for (; at + COST_PIECE <= count; at += stride) {
    for (size_t part = 0; part < COST_PIECE; part += VECTOR)
      add_costs(costs, row, above, at + part, 1, stride, unit);
  }
  for (; at < count; at++) {
    for (unsigned filter = 0; filter < 5; filter++)
      costs[filter] += cpng_cost(lone_residual((cpng_filter)filter, row, above, at, unit));
  }
}
