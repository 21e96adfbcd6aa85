// Runs all checks without Swift: for processors that are only emulated, and for sanitizers.
#include "CPNG.h"
#include "CPNGChecks.h"
#include <stdio.h>

static int failures;

static void report(const char *name, const char *problem) {
  if (problem == NULL) return;
  failures++;
  printf("%s: %s\n", name, problem);
}

int main(void) {
  static const int formats[][2] = {{1, 1},  {1, 2}, {1, 4},  {1, 8}, {1, 16}, {2, 8},
                                   {2, 16}, {3, 8}, {3, 16}, {4, 8}, {4, 16}};
  printf("fastest kernel: %s\n", cpng_kernel_name());
  report("checksums", cpng_check_checksums());
  report("filters", cpng_check_filters());
  report("huffman", cpng_check_huffman());
  report("blocks", cpng_check_blocks());
  report("misjudged", cpng_check_misjudged());
  report("runs", cpng_check_runs());
  report("behind", cpng_check_behind());
  report("repeated runs", cpng_check_repeated_runs());
  report("positions", cpng_check_positions());
  for (int level = 0; level < 4; level++) {
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
      report("widths", cpng_check_widths(formats[i][0], formats[i][1], level, 1, 300));
    for (int content = 0; content < cpng_check_contents(); content++)
      report("large", cpng_check_large(content, level, 333, 500));
    report("wide", cpng_check_large(2, level, 100000, 3));
    report("wide text", cpng_check_large(3, level, 700000, 2));
    report("converter", cpng_check_converter(level));
  }
  printf("%s\n", failures == 0 ? "all checks passed" : "FAILED");
  return failures != 0;
}
