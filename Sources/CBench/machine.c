#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBench.h"
#include <CPNG.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

bool cbench_select_kernel(const char *name) { return cpng_select_kernel(name); }

const char *cbench_kernel_name(void) { return cpng_kernel_name(); }

const char *cbench_libpng_version(void) { return png_get_libpng_ver(NULL); }

const char *cbench_zlib_version(void) { return zlibVersion(); }

const char *cbench_compiler(void) { return __VERSION__; }

double cbench_load(void) {
  double load = -1;
  return getloadavg(&load, 1) == 1 ? load : -1;
}

const char *cbench_system(void) {
  static char text[512];
  struct utsname name;
  if (uname(&name) != 0) return "unknown";
  snprintf(text, sizeof text, "%.64s %.64s %.64s", name.sysname, name.release, name.machine);
  return text;
}

const char *cbench_program(void) {
  static char text[4096];
  ssize_t count = readlink("/proc/self/exe", text, sizeof text - 1);
  text[count < 0 ? 0 : count] = 0;
  return text;
}

#if defined(__APPLE__)

const char *cbench_processor(void) {
  static char text[256];
  size_t size = sizeof text;
  if (sysctlbyname("machdep.cpu.brand_string", text, &size, NULL, 0) != 0) return "unknown";
  return text;
}

#else

const char *cbench_processor(void) {
  static char text[256];
  strcpy(text, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (file == NULL) return text;
  char line[512];
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "model name", 10) != 0 || strchr(line, ':') == NULL) continue;
    snprintf(text, sizeof text, "%.255s", strchr(line, ':') + 2);
    text[strcspn(text, "\n")] = 0;
    break;
  }
  fclose(file);
  return text;
}

#endif
