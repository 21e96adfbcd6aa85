#include "CArguments.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <crt_externs.h>
#include <mach-o/dyld.h>

int csys_argument_count(void) { return *_NSGetArgc(); }
const char *csys_argument(int index) { return (*_NSGetArgv())[index]; }

static ssize_t own_path(char *path, size_t size) {
  uint32_t room = (uint32_t)size;
  return _NSGetExecutablePath(path, &room) == 0 ? (ssize_t)strlen(path) : -1;
}
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

static ssize_t own_path(char *path, size_t size) { return readlink("/proc/self/exe", path, size); }
#endif

int csys_become_sibling(const char *name, char *const *arguments) {
  char path[PATH_MAX];
  ssize_t length = own_path(path, sizeof path - 1);
  if (length < 0) return -1;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  size_t room = slash == NULL ? 0 : sizeof path - (size_t)(slash + 1 - path);
  if (strlen(name) + 1 > room) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(slash + 1, name);
  return execv(path, arguments);
}
