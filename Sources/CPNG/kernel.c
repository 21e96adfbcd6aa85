#include "kernel.h"
#include "CPNG.h"
#include <stdlib.h>
#include <string.h>

static bool supported(const cpng_kernel_table *kernel) {
#if defined(__x86_64__)
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
              __builtin_cpu_supports("pclmul");
  if (kernel == &cpng_kernel_avx2) return avx2;
  if (kernel == &cpng_kernel_avx512)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
#endif
  (void)kernel;
  return true;  // every 64-bit ARM processor has NEON
}

// The fastest one first.
static const cpng_kernel_table *const kernels[] = {
#if defined(__x86_64__)
    &cpng_kernel_avx512,
    &cpng_kernel_avx2,
#elif defined(__aarch64__)
    &cpng_kernel_neon,
#endif
    &cpng_kernel_scalar,
};

// Threads that find it unset all choose the same one.
static const cpng_kernel_table *_Atomic chosen;

static const cpng_kernel_table *find(const char *name) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if ((name == NULL || strcmp(kernels[i]->name, name) == 0) && supported(kernels[i]))
      return kernels[i];
  }
  return NULL;
}

const cpng_kernel_table *cpng_kernel(void) {
  const cpng_kernel_table *kernel = chosen;
  if (kernel != NULL) return kernel;
  kernel = find(getenv("MULTIPART_PNG_KERNEL"));
  if (kernel == NULL) kernel = find(NULL);  // a name that this processor does not know
  chosen = kernel;
  return kernel;
}

bool cpng_select_kernel(const char *name) {
  const cpng_kernel_table *kernel = find(name);
  if (kernel == NULL) return false;
  chosen = kernel;
  return true;
}

const char *cpng_kernel_name(void) { return cpng_kernel()->name; }
