// libpng's and zlib's public headers, found through pkg-config.
#include <png.h>
#include <zlib.h>
