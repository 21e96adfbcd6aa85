// The process's arguments where they lie. Swift's `CommandLine` makes copies of all of them.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

// How many there are, the process's name included.
int csys_argument_count(void);

// An argument below that count.
const char *_Nonnull csys_argument(int index);

#endif
