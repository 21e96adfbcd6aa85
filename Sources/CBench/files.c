#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBench.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int64_t program_peak_kib;

int64_t cbench_program_peak_kib(void) { return program_peak_kib; }

static int run(char *const *arguments, const char *output_path, bool both) {
  posix_spawn_file_actions_t actions;
  cbench_reset_peak();  // a program begins with its parent's peak
  posix_spawn_file_actions_init(&actions);
  int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 1, output_path, flags, 0600);
  if (both) posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int failure = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return -1;
  int status;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return -1;
  }
#if defined(__APPLE__)
  program_peak_kib = usage.ru_maxrss / 1024;
#else
  program_peak_kib = usage.ru_maxrss;
#endif
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cbench_run(const char *arguments, const char *output_path, bool both) {
  enum { MOST = 64 };
  char *copy = strdup(arguments), *list[MOST + 1], *rest = copy;
  if (copy == NULL) return -1;
  int count = 0;
  while (count < MOST && (list[count] = strsep(&rest, "\n")) != NULL)
    count++;
  list[count] = NULL;
  int status = rest == NULL ? run(list, output_path, both) : -1;
  free(copy);
  return status;
}

static bool write_all(int file, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

// Closes, and keeps the first error in errno.
static bool closed(int file, bool well) {
  int before = errno;
  if (close(file) != 0 && well) return false;
  if (!well) errno = before;
  return well;
}

static int created(const char *path) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

bool cbench_write_file(const char *path, const uint8_t *bytes, size_t count) {
  int file = created(path);
  return file >= 0 && closed(file, write_all(file, bytes, count));
}

static bool pumped(int source, int target) {
  enum { SIZE = 128 << 10 };
  uint8_t *buffer = malloc(SIZE);
  if (buffer == NULL) return false;
  ssize_t count;
  bool well = true;
  while (well && (count = read(source, buffer, SIZE)) != 0) {
    if (count < 0 && errno == EINTR) continue;
    well = count > 0 && write_all(target, buffer, (size_t)count);
  }
  free(buffer);
  return well;
}

bool cbench_copy_file(const char *from, const char *to) {
  int source = open(from, O_RDONLY | O_CLOEXEC);
  if (source < 0) return false;
  int target = created(to);
  bool well = target >= 0 && closed(target, pumped(source, target));
  return closed(source, well);
}

static uint8_t *read_all(int file, size_t *count) {
  struct stat status;
  if (fstat(file, &status) != 0 || status.st_size < 0) return NULL;
  uint8_t *bytes = malloc((size_t)status.st_size + 1);
  *count = 0;
  while (bytes != NULL && *count < (size_t)status.st_size) {
    ssize_t some = read(file, bytes + *count, (size_t)status.st_size - *count);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) break;
    *count += (size_t)some;
  }
  return bytes;
}

uint8_t *cbench_read_file(const char *path, size_t *count) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  uint8_t *bytes = read_all(file, count);
  close(file);
  return bytes;
}

bool cbench_make_file(const char *path, int64_t count) {
  enum { WORDS = 32 << 10 };
  int file = created(path);
  uint64_t *block = malloc(WORDS * sizeof *block), state = 1;
  bool well = file >= 0 && block != NULL;
  while (well && count > 0) {
    for (int i = 0; i < WORDS; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      block[i] = state ^ state >> 29;
    }
    size_t piece = WORDS * sizeof *block;
    if ((int64_t)piece > count) piece = (size_t)count;
    well = write_all(file, (const uint8_t *)block, piece);
    count -= (int64_t)piece;
  }
  free(block);
  return file >= 0 && closed(file, well);
}
