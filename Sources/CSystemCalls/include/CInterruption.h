// Signals that end a command-line tool, turned into a question it can ask between two steps.
#ifndef CINTERRUPTION_H
#define CINTERRUPTION_H

#include <stdbool.h>

// From now on SIGINT, SIGTERM and SIGHUP are only remembered, and interrupt a system call that
// waits, in the thread that they come to. A second one of the same kind ends the process as usual.
// A signal that the process's parent told it to ignore stays ignored. SIGPIPE is ignored, so that
// writing fails instead.
//
// `polling` says that a read must not rely on being interrupted, since another thread than the one
// that reads may get the signal.
void csys_watch_interruption(bool polling);

// Whether a read must look for signals while it waits.
bool csys_polls_interruption(void);

// The number of the first signal that was remembered, or 0.
int csys_interruption(void);

// Ends the process by a signal, as if nobody had watched for it.
void csys_die_of(int signal);

// When mapped memory has gone because somebody shortened its file (SIGBUS), `message` is written to
// standard error and the process ends with status 1. NULL takes the watch away. At most 511 bytes
// of the message are kept.
void csys_watch_mapped_input(const char *_Nullable message);

#endif
