// Pixels to PNG: the C half. See the Swift type `PNGEncoder` for its use.
#ifndef CPNG_H
#define CPNG_H

#include "cpng_picture.h"
#include "cpng_writer.h"

// The version of libpng that this process runs with, such as "1.6.39".
const char *_Nonnull cpng_libpng_version(void);

#endif
