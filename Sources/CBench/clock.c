#include "CBench.h"
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double in_seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

double cbench_cpu_seconds(void) {
  struct rusage programs;
  getrusage(RUSAGE_CHILDREN, &programs);
  return seconds(CLOCK_PROCESS_CPUTIME_ID) + in_seconds(programs.ru_utime) +
         in_seconds(programs.ru_stime);
}

double cbench_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }
