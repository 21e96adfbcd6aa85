// The kernel for 64-bit ARM processors.
#if defined(__aarch64__)

#include "kernel.h"
#include "vector_neon.h"

#include "checksum_neon.h"
#include "literals_neon.h"

#include "emit_kernel.h"
#include "filter_kernel.h"
#include "least_plain.h"
#include "runs_kernel.h"

const cpng_kernel_table cpng_kernel_neon = {
    .name = "neon",
    .filter_row = {filter_none, filter_sub, filter_up, filter_average, filter_paeth},
    .filter_costs = filter_costs,
    .find_runs = find_runs,
    .find_repeats = find_repeats,
    .write_tokens = write_tokens,
    .least_sum = least_sum,
    .crc32 = crc,
    .adler32 = adler,
};

#endif
