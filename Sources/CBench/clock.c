#include "CBench.h"
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double cbench_cpu_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

double cbench_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }
