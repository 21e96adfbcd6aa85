#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/sendfile.h>
#include <sys/vfs.h>

int csys_open_nameless(const char *directory, mode_t mode) {
  return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

ssize_t csys_copy_file_range(int source, int64_t *offset, int target, size_t count) {
  return copy_file_range(source, offset, target, NULL, count, 0);
}

ssize_t csys_sendfile(int target, int source, int64_t *offset, size_t count) {
  off_t position = (off_t)*offset;
  ssize_t sent = sendfile(target, source, &position, count);
  *offset = (int64_t)position;
  return sent;
}

bool csys_gains_from_room(int file, int64_t spare) {
  struct statfs system;
  if (fstatfs(file, &system) != 0 || system.f_type != EXT4_SUPER_MAGIC) return false;
  return system.f_bavail > (uint64_t)spare / (uint64_t)system.f_bsize;
}

int csys_make_room(int file, int64_t start, int64_t count) {
  return fallocate(file, FALLOC_FL_KEEP_SIZE, start, count);
}
#else
static int unknown_call(void) {
  errno = ENOSYS;
  return -1;
}

int csys_open_nameless(const char *directory, mode_t mode) {
  (void)directory, (void)mode;
  return unknown_call();
}

ssize_t csys_copy_file_range(int source, int64_t *offset, int target, size_t count) {
  (void)source, (void)offset, (void)target, (void)count;
  return unknown_call();
}

ssize_t csys_sendfile(int target, int source, int64_t *offset, size_t count) {
  (void)target, (void)source, (void)offset, (void)count;
  return unknown_call();
}

bool csys_gains_from_room(int file, int64_t spare) {
  (void)file, (void)spare;
  return false;
}

int csys_make_room(int file, int64_t start, int64_t count) {
  (void)file, (void)start, (void)count;
  return unknown_call();
}
#endif

const void *csys_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}
