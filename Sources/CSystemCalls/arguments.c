#include "CArguments.h"

#ifdef __APPLE__
#include <crt_externs.h>

int csys_argument_count(void) { return *_NSGetArgc(); }
const char *csys_argument(int index) { return (*_NSGetArgv())[index]; }
#else
static int count;
static char **vector;

// The GNU C library hands initialisers what it hands to `main`.
__attribute__((constructor)) static void remember(int argc, char **argv) {
  count = argc;
  vector = argv;
}

int csys_argument_count(void) { return count; }
const char *csys_argument(int index) { return vector[index]; }
#endif
