// The process's arguments where they lie. Swift's `CommandLine` makes copies of all of them.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

// How many there are, the process's name included.
int csys_argument_count(void);

// An argument below that count.
const char *_Nonnull csys_argument(int index);

// Replaces this process by the program `name` in this one's directory. Returns -1, with errno, only
// where it can't.
int csys_become_sibling(const char *_Nonnull name, char *const _Nullable *_Nonnull arguments);

#endif
