// Whether a strip was drawn, as windows, pages and charts are, rather than taken or rendered.
#ifndef CPNG_DRAWN_H
#define CPNG_DRAWN_H

#include "strip_internal.h"

// Whether repeats in rows without filters take fewer bits than so many sixteenths of what runs in
// filtered rows take, by a look at some of the strip. Overwrites strip->filtered and `sequences`,
// which have room for the strip.
bool cpng_is_drawn(const cpng_strip *strip, cpng_sequence *sequences, unsigned sixteenths);

#endif
