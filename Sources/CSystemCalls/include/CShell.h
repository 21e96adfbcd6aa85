// Shell commands, run for what they print.
#ifndef CSHELL_H
#define CSHELL_H

#include <stdbool.h>
#include <sys/types.h>

// Starts `sh -c command` as the first process of a group of its own, whose number is its own. It
// has nothing to read, this process's standard error and no other descriptor of it. `environment`
// ends with NULL. What it prints can be read from `*output`, which is non-blocking. Returns its
// number, or -1 with errno.
pid_t csys_spawn_shell(const char *_Nonnull command, char *const _Nullable *_Nonnull environment,
                       int *_Nonnull output);

// How a child has ended: its exit status, or 128 and the signal, as shells count it. -1 if it runs.
// To be asked until it has ended, and no more.
int csys_exit_status(pid_t child);

// Whether a child that hasn't ended was stopped since the last call for asking the terminal, which
// belongs to this process's group. Nothing lets it go on.
bool csys_wants_terminal(pid_t child);

#endif
