// What the bench asks of the system and of libpng, and what it is compared with.
#ifndef CBENCH_H
#define CBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Time of the whole process and the programs it has run, on all processors, and time on the wall,
// in seconds.
double cbench_cpu_seconds(void);
double cbench_wall_seconds(void);

// Calls of malloc and its kin, and the bytes asked for, between start and stop, on all threads.
// -1 where they can't be counted (elsewhere than with glibc, or under a sanitizer).
typedef struct {
  int64_t calls, bytes;
} cbench_allocations;
void cbench_allocations_start(void);
cbench_allocations cbench_allocations_stop(void);

// Resident memory in KiB, now and at its peak, the latter since the last reset where there is one
// (Linux). 0 where it can't be known.
int64_t cbench_resident_kib(void);
int64_t cbench_peak_kib(void);
bool cbench_reset_peak(void);

// Runs a program, whose arguments are lines of one text, its name the first. Its standard output
// goes to a file, its standard error too if `both`. Returns its exit status, or -1.
int cbench_run(const char *_Nonnull arguments, const char *_Nonnull output_path, bool both);
// The most memory that the last program had resident, in KiB; never below what this process had
// when it ran it.
int64_t cbench_program_peak_kib(void);

// A server of its own process on 127.0.0.1 that answers every upload with 200 and drops what comes:
// one connection at a time, requests with a Content-Length. `process` is -1 where it can't start.
typedef struct {
  int process;
  int port;
} cbench_sink;
cbench_sink cbench_sink_start(void);
void cbench_sink_stop(cbench_sink sink);

// The usual loop: read into one 128 KiB buffer, write what was read, as cat does. False with errno.
bool cbench_copy_file(const char *_Nonnull from, const char *_Nonnull to);
// All of a file; NULL with errno on failure, else free it.
uint8_t *_Nullable cbench_read_file(const char *_Nonnull path, size_t *_Nonnull count);
// Writes a new file with as few calls of write as the system allows. False with errno.
bool cbench_write_file(const char *_Nonnull path, const uint8_t *_Nullable bytes, size_t count);
// Writes a file of random-looking bytes, all of them really there. False with errno.
bool cbench_make_file(const char *_Nonnull path, int64_t count);

// An image as libpng takes it, but 16 bits in the machine's order.
typedef struct {
  uint32_t width, height;
  int bit_depth, color_type;
  const uint8_t *_Nonnull rows;
  size_t row_bytes;
  const uint8_t *_Nullable palette;  // red, green, blue, alpha
  size_t palette_count;
} cbench_image;

// The usual way to get a PNG: libpng at its defaults (level 6, adaptive filters), all of the PNG in
// memory that grows. NULL on failure; free it.
uint8_t *_Nullable cbench_libpng_encode(const cbench_image *_Nonnull image, size_t *_Nonnull count);
void cbench_free(void *_Nullable memory);

// See cpng_select_kernel and cpng_kernel_name.
bool cbench_select_kernel(const char *_Nonnull name);
const char *_Nonnull cbench_kernel_name(void);

// Words about the machine. The pointers stay valid until the next call of the same function.
const char *_Nonnull cbench_processor(void);
// The path of the program that runs; empty where the system doesn't say.
const char *_Nonnull cbench_program(void);
const char *_Nonnull cbench_system(void);
const char *_Nonnull cbench_libpng_version(void);
const char *_Nonnull cbench_zlib_version(void);
const char *_Nonnull cbench_compiler(void);
// Processes that want to run, on average over the last minute: much more than 0 is no quiet
// machine.
double cbench_load(void);

#endif
