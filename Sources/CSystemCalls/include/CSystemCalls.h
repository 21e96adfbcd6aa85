// System calls that Swift's libc import hides.
#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

#include <stdint.h>
#include <sys/types.h>

// copy_file_range(2): `count` bytes from `*offset` of `source` to the current position of
// `target`. Returns the bytes copied, or -1 with errno; ENOSYS where the system has no such call.
ssize_t csys_copy_file_range(int source, int64_t *_Nonnull offset, int target, size_t count);

#endif
