#include "match.h"

void cpng_matcher_begin(cpng_matcher *matcher, size_t count) {
  // A whole window behind the bytes before, or from the start once the positions run out.
  if (matcher->end > UINT32_MAX / 2) {
    memset(matcher->heads, 0, sizeof matcher->heads);
    matcher->end = 0;
    matcher->rounds++;
  }
  matcher->base = matcher->end + CPNG_WINDOW + 1;
  matcher->end = matcher->base + (uint32_t)count;
}
