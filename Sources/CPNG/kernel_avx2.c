// The kernel for x86 processors from 2013 on.
#if defined(__x86_64__)

#include "kernel.h"
#include "vector_avx2.h"

#include "checksum_x86.h"
#include "equal_avx2.h"
#include "least_avx2.h"
#include "literals_avx2.h"

#include "emit_kernel.h"
#include "filter_kernel.h"
#include "runs_kernel.h"

const cpng_kernel_table cpng_kernel_avx2 = {
    .name = "avx2",
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
