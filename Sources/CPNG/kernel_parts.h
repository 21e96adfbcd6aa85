// What is written once for all kernels, and the table of them. Included last by a kernel's file:
// behind its vectors, checksums and literals, and the least sum.
#include "kernel.h"

#include "emit_kernel.h"
#include "filter_kernel.h"
#include "runs_kernel.h"

#include "repeats_kernel.h"

#define KERNEL_TABLE(kernel)                                                                       \
  const cpng_kernel_table cpng_kernel_##kernel = {                                                 \
      .name = #kernel,                                                                             \
      .filter_row = {filter_none, filter_sub, filter_up, filter_average, filter_paeth},            \
      .filter_costs = filter_costs,                                                                \
      .find_runs = find_runs,                                                                      \
      .find_repeats = find_repeats,                                                                \
      .write_tokens = write_tokens,                                                                \
      .least_sum = least_sum,                                                                      \
      .crc32 = crc,                                                                                \
      .adler32 = adler,                                                                            \
  }
