// Compresses the strips of one or many images on some threads and writes them in order.
//
// The bytes do not depend on the number of threads. The calling thread takes part, and it alone
// calls back. Threads are started when there is enough work for them, and end with the pipeline.
#ifndef CPNG_PIPELINE_H
#define CPNG_PIPELINE_H

#include "cpng_writer.h"

typedef struct cpng_pipeline cpng_pipeline;

typedef struct {
  const cpng_picture *_Nonnull picture;
  // Writes what goes before and behind the image data; `begin` and `finish` are called here.
  cpng_writer *_Nonnull writer;
  cpng_level level;
} cpng_job;

typedef size_t cpng_fill(void *_Nonnull argument, uint8_t *_Nonnull out);

// Callbacks return 0 to go on. The context is the writers' sinks' too.
typedef struct {
  void *_Nullable context;
  // Comes before an image's first byte and after its last one; images count from 0.
  int (*_Nonnull begin)(void *_Nullable context, size_t image);
  int (*_Nonnull end)(void *_Nullable context, size_t image);
  // Takes whole IDAT chunks, which are valid only during the call.
  int (*_Nonnull write)(void *_Nullable context, const uint8_t *_Nonnull bytes, size_t count);
  // Calls `fill` once with `limit` bytes of the output's own memory; it returns how many of them
  // it wrote. This is how a strip gets into the output without a copy.
  int (*_Nonnull fill)(void *_Nullable context, size_t limit, cpng_fill *_Nonnull fill,
                       void *_Nonnull argument);
  // Hears behind each strip how many bytes the rest of the image makes if it is like what went
  // before, so that memory need not grow step by step.
  void (*_Nonnull expect)(void *_Nullable context, size_t count);
} cpng_output;

// `threads` counts the calling one, so 1 starts none. NULL when memory runs out.
cpng_pipeline *_Nullable cpng_pipeline_create(unsigned threads);
void cpng_pipeline_destroy(cpng_pipeline *_Nonnull pipeline);

// What failed, after another status than `ok`: which image, and for CPNG_INDEX where.
typedef struct {
  size_t image;
  cpng_bad_index bad;
} cpng_failure;
cpng_failure cpng_pipeline_failure(const cpng_pipeline *_Nonnull pipeline);

// Writes whole images, whose pictures have their rows. When it returns, nothing is being
// compressed any more, whatever the status.
cpng_status cpng_pipeline_write(cpng_pipeline *_Nonnull pipeline, const cpng_job *_Nonnull jobs,
                                size_t count, const cpng_output *_Nonnull output);

// Writes one image whose rows come bit by bit, top row first; they are copied. Between begin and
// finish only add may be called; after another status than `ok`, or to stop early, only cancel.
void cpng_pipeline_begin_rows(cpng_pipeline *_Nonnull pipeline, cpng_job job);
cpng_status cpng_pipeline_add_rows(cpng_pipeline *_Nonnull pipeline,
                                   const cpng_output *_Nonnull output, const uint8_t *_Nonnull rows,
                                   ptrdiff_t stride, uint32_t count);
cpng_status cpng_pipeline_finish_rows(cpng_pipeline *_Nonnull pipeline,
                                      const cpng_output *_Nonnull output);
void cpng_pipeline_cancel_rows(cpng_pipeline *_Nonnull pipeline);

#endif
