// The kernel for x86 processors from 2013 on.
#if defined(__x86_64__)

#include "kernel.h"
#include "vector_avx2.h"

#include "checksum_x86.h"
#include "equal_avx2.h"
#include "least_avx2.h"
#include "literals_avx2.h"

#include "kernel_parts.h"

KERNEL_TABLE(avx2);

#endif
