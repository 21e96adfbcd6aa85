// Pixels to PNG: the C half. See the Swift type `PNGEncoder` for its use.
#ifndef CPNG_H
#define CPNG_H

#include "cpng_picture.h"
#include "cpng_pipeline.h"
#include "cpng_writer.h"
#include <stdbool.h>

// The version of libpng that this process runs with, such as "1.6.39".
const char *_Nonnull cpng_libpng_version(void);

// The instruction set that the fast path's inner loops use: "scalar", "avx2", "avx512" or "neon".
// It is chosen once, or named by the environment variable MULTIPART_PNG_KERNEL; the bytes that come
// out are the same with every one.
const char *_Nonnull cpng_kernel_name(void);

// Uses the named kernel from now on. False, with nothing changed, if this processor lacks it.
bool cpng_select_kernel(const char *_Nonnull name);

#endif
