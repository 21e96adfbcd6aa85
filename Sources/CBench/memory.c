#include "CBench.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

static atomic_bool counting;
static atomic_llong calls, bytes;

void cbench_free(void *memory) { free(memory); }

#if defined(__GLIBC__) && !defined(SANITIZED)

// glibc looks for these names in the program first, and keeps its own under others.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void note(size_t size) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, (long long)size, memory_order_relaxed);
}

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note(size);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note(size);
  void *found = __libc_memalign(alignment, size);
  if (found == NULL) return 12;  // ENOMEM; errno must stay as it is
  *memory = found;
  return 0;
}

void cbench_allocations_start(void) {
  atomic_store(&calls, 0);
  atomic_store(&bytes, 0);
  atomic_store(&counting, true);
}

cbench_allocations cbench_allocations_stop(void) {
  atomic_store(&counting, false);
  return (cbench_allocations){.calls = atomic_load(&calls), .bytes = atomic_load(&bytes)};
}

#else

void cbench_allocations_start(void) {
  (void)counting;
  (void)calls;
  (void)bytes;
}

cbench_allocations cbench_allocations_stop(void) {
  return (cbench_allocations){.calls = -1, .bytes = -1};
}

#endif

#if defined(__linux__)

static int64_t status_kib(const char *key) {
  FILE *file = fopen("/proc/self/status", "r");
  if (file == NULL) return 0;
  char line[256];
  long long value = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) value = strtoll(line + strlen(key), NULL, 10);
  }
  fclose(file);
  return value;
}

int64_t cbench_resident_kib(void) { return status_kib("VmRSS:"); }

int64_t cbench_peak_kib(void) { return status_kib("VmHWM:"); }

bool cbench_reset_peak(void) {
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool done = write(file, "5", 1) == 1;  // proc(5): sets the peak to what is resident now
  close(file);
  return done;
}

#else

int64_t cbench_resident_kib(void) { return 0; }

int64_t cbench_peak_kib(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return usage.ru_maxrss / 1024;
#else
  return usage.ru_maxrss;
#endif
}

bool cbench_reset_peak(void) { return false; }

#endif
