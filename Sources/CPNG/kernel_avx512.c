// The kernel for x86 processors with AVX-512 and its byte permutations (VBMI), from 2019 on. Rows
// are filtered as with AVX2, which memory can hardly follow; literals and matches are what gain.
#if defined(__x86_64__)

// A check that has no such processor at hand defines this otherwise.
#ifndef CPNG_TARGET
#define CPNG_TARGET                                                                                \
  __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul,avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif

#include "kernel.h"
#include "vector_avx2.h"

#include "checksum_x86.h"
#include "equal_avx512.h"
#include "least_avx2.h"
#include "literals_avx512.h"

#include "emit_kernel.h"
#include "filter_kernel.h"
#include "runs_kernel.h"

const cpng_kernel_table cpng_kernel_avx512 = {
    .name = "avx512",
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
