// The kernel for 64-bit ARM processors.
#if defined(__aarch64__)

#include "kernel.h"
#include "vector_neon.h"

#include "checksum_neon.h"
#include "least_plain.h"
#include "literals_neon.h"

#include "kernel_parts.h"

KERNEL_TABLE(neon);

#endif
