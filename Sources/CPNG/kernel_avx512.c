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

#include "kernel_parts.h"

KERNEL_TABLE(avx512);

#endif
