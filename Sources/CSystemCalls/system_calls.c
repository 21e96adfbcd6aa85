#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <errno.h>
#include <unistd.h>

#ifdef __linux__
ssize_t csys_copy_file_range(int source, int64_t *offset, int target, size_t count) {
  return copy_file_range(source, offset, target, NULL, count, 0);
}
#else
ssize_t csys_copy_file_range(int source, int64_t *offset, int target, size_t count) {
  (void)source, (void)offset, (void)target, (void)count;
  errno = ENOSYS;
  return -1;
}
#endif
