// System calls that Swift's libc import hides. Each returns -1 and sets errno on failure;
// ENOSYS where the system has no such call.
#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

#include "CArguments.h"
#include "CInterruption.h"
#include "CShell.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// open(2) with O_TMPFILE: a file without a name in `directory`, read and write, close-on-exec.
int csys_open_nameless(const char *_Nonnull directory, mode_t mode);

// copy_file_range(2): `count` bytes from `*offset` of `source` to the current position of
// `target`. Returns the bytes copied.
ssize_t csys_copy_file_range(int source, int64_t *_Nonnull offset, int target, size_t count);

// sendfile(2) of Linux: `count` bytes from `*offset` of `source` to `target`. Returns the bytes
// sent.
ssize_t csys_sendfile(int target, int source, int64_t *_Nonnull offset, size_t count);

// Whether `file` lies on a file system (ext4) that writes faster to blocks made by
// csys_make_room, and has more than `spare` bytes free for everybody.
bool csys_gains_from_room(int file, int64_t spare);

// fallocate(2) of Linux: blocks for `count` bytes from `start` on; the file becomes no longer.
int csys_make_room(int file, int64_t start, int64_t count);

// memmem(3): where `needle` first occurs in `bytes`, or NULL.
const void *_Nullable csys_find(const void *_Nonnull bytes, size_t count,
                                const void *_Nonnull needle, size_t needle_count);

// What became of an overlapped copy.
typedef struct {
  int64_t copied;   // bytes that were written, fewer than asked for at the source's end
  int read_error;   // errno of the source, or 0
  int write_error;  // errno of the target, or 0
  bool unable;      // there was no memory or no thread for it; nothing was done
} csys_copy_result;

// Copies `count` bytes from `offset` of `source` to the current position of `target`, a regular
// file, reading on a thread of its own. Takes 1 MiB of memory for as long as it runs.
csys_copy_result csys_copy_overlapped(int source, int64_t offset, int target, size_t count);

#endif
