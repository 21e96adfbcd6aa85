#include "cpng_pipeline.h"
#include "idat.h"
#include "picture.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_THREADS = 64,
  // Fewer strips than this are done sooner than a thread has started.
  STRIPS_WORTH_THREADS = 4,
  SLOTS_PER_THREAD = 3,  // strips differ: a quick one's thread goes on while a slow one is awaited
  STACK_BYTES = 2 << 20,
  // What a thread uses at most, in sizes of a strip, and how much of it all threads may have
  // together beyond 2 MiB each. Only images with very long rows have strips that large.
  STRIPS_OF_MEMORY = 7,
  STRIPS_OF_MEMORY_CONVERTED = 10,
  THREAD_MEMORY = 2 << 20,
  EXTRA_MEMORY = 16 << 20,
};

typedef enum { SLOT_FREE, SLOT_QUEUED, SLOT_BUSY, SLOT_DONE } slot_state;

// A place for a strip on its way. Only its state is shared; the rest belongs to whoever the state
// says: the caller (free, queued, done) or the thread that took it (busy).
typedef struct {
  slot_state state;
  cpng_idat idat;
  const cpng_job *job;
  size_t number;  // of the job
  uint32_t line;  // of the picture, for the strip's first row
  cpng_status status;
  cpng_bad_index bad;
  uint8_t *out;
  size_t out_capacity;
  uint8_t *window;  // of rows that came bit by bit; its first row is the one above the strip
  size_t window_capacity;
} slot;

// An image whose rows come bit by bit.
typedef struct {
  cpng_job job;
  bool alone;
  uint32_t strip_rows;
  size_t row_bytes;
  uint32_t next_line, filled;  // of the picture, of the strip
  uint64_t strips;
  slot *slot;            // that is being filled, or NULL
  const uint8_t *above;  // the last row of the strip before
} row_feed;

typedef struct {
  cpng_pipeline *pipeline;
  unsigned number;  // the calling thread is 0
  pthread_t thread;
} worker;

struct cpng_pipeline {
  unsigned thread_limit, thread_count;
  unsigned active;  // threads that take strips now, the calling one among them
  worker workers[MAX_THREADS];
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  bool ends;
  // Strips are counted through; strip n is in slot n % slot_count. There is room for more slots
  // where fewer threads are active.
  slot *slots;
  unsigned slot_room, slot_count, busy;
  uint64_t submitted, claimed, written;
  cpng_strip_scratch *scratch;  // the calling thread's
  uint32_t adler;               // of the image that is being written
  uint64_t image_bytes;         // of its strips so far
  cpng_failure failure;
  row_feed feed;
};

static slot *slot_at(cpng_pipeline *pipeline, uint64_t number) {
  return &pipeline->slots[number % pipeline->slot_count];
}

static bool check_rows(slot *slot) {
  const cpng_idat *idat = &slot->idat;
  for (uint32_t i = 0; i < idat->rows; i++) {
    const uint8_t *row = idat->image.rows + (ptrdiff_t)(idat->first + i) * idat->image.stride;
    if (!cpng_picture_check_row(slot->job->picture, row, slot->line + i, &slot->bad)) return false;
  }
  return true;
}

static cpng_status compress(slot *slot, cpng_strip_scratch *scratch, uint8_t *out) {
  if (!check_rows(slot)) return CPNG_INDEX;
  return cpng_idat_compress(&slot->idat, scratch, out) ? CPNG_OK : CPNG_MEMORY;
}

static uint8_t *reserve(uint8_t **memory, size_t *capacity, size_t count) {
  if (count > *capacity) {
    free(*memory);
    *memory = malloc(count);
    *capacity = *memory == NULL ? 0 : count;
  }
  return *memory;
}

static void compress_slot(slot *slot, cpng_strip_scratch *scratch) {
  uint8_t *out = reserve(&slot->out, &slot->out_capacity, cpng_idat_bound(&slot->idat));
  slot->status = out == NULL || scratch == NULL ? CPNG_MEMORY : compress(slot, scratch, out);
}

// Takes the oldest strip that nobody has taken, compresses it and says so. Called, and returns,
// with the mutex held.
static void take_one(cpng_pipeline *pipeline, cpng_strip_scratch *scratch) {
  slot *slot = slot_at(pipeline, pipeline->claimed++);
  slot->state = SLOT_BUSY;
  pipeline->busy++;
  pthread_mutex_unlock(&pipeline->mutex);
  compress_slot(slot, scratch);
  pthread_mutex_lock(&pipeline->mutex);
  slot->state = SLOT_DONE;
  pipeline->busy--;
  pthread_cond_signal(&pipeline->done);
}

static void *work(void *argument) {
  const worker *worker = argument;
  cpng_pipeline *pipeline = worker->pipeline;
  cpng_strip_scratch *scratch = cpng_strip_scratch_make();
  pthread_mutex_lock(&pipeline->mutex);
  while (!pipeline->ends) {
    if (pipeline->claimed < pipeline->submitted && worker->number < pipeline->active)
      take_one(pipeline, scratch);
    else
      pthread_cond_wait(&pipeline->work, &pipeline->mutex);
  }
  pthread_mutex_unlock(&pipeline->mutex);
  cpng_strip_scratch_free(scratch);
  return NULL;
}

// The signals for the program's own threads: all but those that say what this very thread did, as
// when mapped pixels are gone. To block these would keep the program's handlers from being called.
static sigset_t signals_of_others(void) {
  static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t signals;
  sigfillset(&signals);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigdelset(&signals, own[i]);
  return signals;
}

// Starts as many threads as are to be active, of which some may run already; with fewer than wanted
// it goes on all the same.
static void start_threads(cpng_pipeline *pipeline) {
  sigset_t others = signals_of_others(), before;
  pthread_sigmask(SIG_SETMASK, &others, &before);
  pthread_attr_t attributes;
  bool has_attributes = pthread_attr_init(&attributes) == 0;
  if (has_attributes) pthread_attr_setstacksize(&attributes, STACK_BYTES);
  while (pipeline->thread_count + 1 < pipeline->active) {
    worker *worker = &pipeline->workers[pipeline->thread_count];
    worker->pipeline = pipeline;
    worker->number = pipeline->thread_count + 1;
    if (pthread_create(&worker->thread, has_attributes ? &attributes : NULL, work, worker) != 0)
      break;
    pipeline->thread_count++;
  }
  if (has_attributes) pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

cpng_pipeline *cpng_pipeline_create(unsigned threads) {
  cpng_pipeline *pipeline = calloc(1, sizeof *pipeline);
  if (pipeline == NULL) return NULL;
  pipeline->thread_limit = threads < 1 ? 1 : threads < MAX_THREADS ? threads : MAX_THREADS;
  pipeline->slot_room = SLOTS_PER_THREAD * pipeline->thread_limit;
  pipeline->slots = calloc(pipeline->slot_room, sizeof *pipeline->slots);
  pipeline->scratch = cpng_strip_scratch_make();
  pthread_mutex_init(&pipeline->mutex, NULL);
  pthread_cond_init(&pipeline->work, NULL);
  pthread_cond_init(&pipeline->done, NULL);
  if (pipeline->slots != NULL && pipeline->scratch != NULL) return pipeline;
  cpng_pipeline_destroy(pipeline);
  return NULL;
}

void cpng_pipeline_destroy(cpng_pipeline *pipeline) {
  pthread_mutex_lock(&pipeline->mutex);
  pipeline->ends = true;
  pthread_cond_broadcast(&pipeline->work);
  pthread_mutex_unlock(&pipeline->mutex);
  for (unsigned i = 0; i < pipeline->thread_count; i++)
    pthread_join(pipeline->workers[i].thread, NULL);
  for (unsigned i = 0; pipeline->slots != NULL && i < pipeline->slot_room; i++) {
    free(pipeline->slots[i].out);
    free(pipeline->slots[i].window);
  }
  pthread_cond_destroy(&pipeline->done);
  pthread_cond_destroy(&pipeline->work);
  pthread_mutex_destroy(&pipeline->mutex);
  cpng_strip_scratch_free(pipeline->scratch);
  free(pipeline->slots);
  free(pipeline);
}

// Drops what nobody has taken and waits for the rest.
static void abandon(cpng_pipeline *pipeline) {
  pthread_mutex_lock(&pipeline->mutex);
  pipeline->claimed = pipeline->submitted;
  while (pipeline->busy > 0)
    pthread_cond_wait(&pipeline->done, &pipeline->mutex);
  pipeline->written = pipeline->submitted;
  pthread_mutex_unlock(&pipeline->mutex);
  for (unsigned i = 0; i < pipeline->slot_room; i++)
    pipeline->slots[i].state = SLOT_FREE;
}

// What goes before an image's first strip.
static cpng_status begin(const slot *slot, const cpng_output *output) {
  if (!slot->idat.starts) return CPNG_OK;
  if (output->begin(output->context, slot->number) != 0) return CPNG_SINK;
  return cpng_writer_begin(slot->job->writer, output->context);
}

// Tells how much is still to come, from how much has come.
static void expect(cpng_pipeline *pipeline, const slot *slot, const cpng_output *output) {
  const cpng_idat *idat = &slot->idat;
  if (idat->starts) pipeline->image_bytes = 0;
  pipeline->image_bytes += idat->count;
  uint64_t done = (uint64_t)slot->line + idat->rows, height = slot->job->picture->image.height;
  output->expect(output->context, pipeline->image_bytes / done * (height - done));
}

// What goes behind its last one.
static cpng_status end(const slot *slot, const cpng_output *output) {
  if (!slot->idat.ends) return CPNG_OK;
  cpng_status status = cpng_writer_finish(slot->job->writer, output->context);
  if (status != CPNG_OK) return status;
  return output->end(output->context, slot->number) == 0 ? CPNG_OK : CPNG_SINK;
}

// Writes the oldest strip, which is done, and what goes before and behind it.
static cpng_status write_slot(cpng_pipeline *pipeline, slot *slot, const cpng_output *output) {
  pipeline->failure = (cpng_failure){slot->number, slot->bad};
  if (slot->status != CPNG_OK) return slot->status;
  cpng_idat_finish(&slot->idat, slot->out, &pipeline->adler);
  cpng_status status = begin(slot, output);
  if (status != CPNG_OK) return status;
  if (output->write(output->context, slot->out, slot->idat.count) != 0) return CPNG_SINK;
  expect(pipeline, slot, output);
  slot->state = SLOT_FREE;
  return end(slot, output);
}

// Gets the oldest strip out of the way, helping with the others as long as it is not done.
static cpng_status advance(cpng_pipeline *pipeline, const cpng_output *output) {
  slot *oldest = slot_at(pipeline, pipeline->written);
  pthread_mutex_lock(&pipeline->mutex);
  while (oldest->state != SLOT_DONE) {
    if (pipeline->claimed < pipeline->submitted)
      take_one(pipeline, pipeline->scratch);
    else
      pthread_cond_wait(&pipeline->done, &pipeline->mutex);
  }
  pthread_mutex_unlock(&pipeline->mutex);
  cpng_status status = write_slot(pipeline, oldest, output);
  if (status == CPNG_OK) pipeline->written++;
  return status;
}

static cpng_status take_slot(cpng_pipeline *pipeline, const cpng_output *output, slot **slot) {
  while (pipeline->submitted - pipeline->written == pipeline->slot_count) {
    cpng_status status = advance(pipeline, output);
    if (status != CPNG_OK) return status;
  }
  *slot = slot_at(pipeline, pipeline->submitted);
  return CPNG_OK;
}

static void submit(cpng_pipeline *pipeline, slot *slot) {
  pthread_mutex_lock(&pipeline->mutex);
  slot->state = SLOT_QUEUED;
  pipeline->submitted++;
  // One that is woken may not be active.
  if (pipeline->active > pipeline->thread_count)
    pthread_cond_signal(&pipeline->work);
  else
    pthread_cond_broadcast(&pipeline->work);
  pthread_mutex_unlock(&pipeline->mutex);
}

static cpng_status drain(cpng_pipeline *pipeline, const cpng_output *output) {
  while (pipeline->written < pipeline->submitted) {
    cpng_status status = advance(pipeline, output);
    if (status != CPNG_OK) return status;
  }
  return CPNG_OK;
}

typedef struct {
  cpng_pipeline *pipeline;
  slot *slot;
} direct;

static size_t fill(void *argument, uint8_t *out) {
  direct *direct = argument;
  slot *slot = direct->slot;
  slot->status = compress(slot, direct->pipeline->scratch, out);
  if (slot->status != CPNG_OK) return 0;
  cpng_idat_finish(&slot->idat, out, &direct->pipeline->adler);
  return slot->idat.count;
}

// Compresses a strip on this thread, straight into the output's memory.
static cpng_status write_directly(cpng_pipeline *pipeline, slot *slot, const cpng_output *output) {
  pipeline->failure = (cpng_failure){slot->number, {0}};
  cpng_status status = begin(slot, output);
  if (status != CPNG_OK) return status;
  direct direct = {pipeline, slot};
  slot->status = CPNG_SINK;
  size_t limit = cpng_idat_bound(&slot->idat);
  if (output->fill(output->context, limit, fill, &direct) != 0) return CPNG_SINK;
  pipeline->failure.bad = slot->bad;
  if (slot->status != CPNG_OK) return slot->status;
  expect(pipeline, slot, output);
  return end(slot, output);
}

static void cut(slot *slot, const cpng_job *job, size_t number, uint32_t first, uint32_t rows) {
  const cpng_image *image = &job->picture->image;
  slot->idat = (cpng_idat){
      .image = *image,
      .level = job->level,
      .first = first,
      .rows = rows,
      .starts = first == 0,
      .ends = first + rows == image->height,
  };
  slot->job = job;
  slot->number = number;
  slot->line = first;
}

static size_t strip_count(const cpng_job *job) {
  const cpng_image *image = &job->picture->image;
  uint32_t rows = cpng_strip_rows(image, job->level);
  return (image->height - 1) / rows + 1;
}

static size_t strip_bytes(const cpng_job *job) {
  const cpng_image *image = &job->picture->image;
  return cpng_strip_bound(image, cpng_strip_rows(image, job->level));
}

// How many threads may work on strips of an image within the memory that they may use.
static unsigned affordable_threads(const cpng_job *job) {
  bool converts = job->picture->image.convert != NULL;
  size_t each = strip_bytes(job) * (converts ? STRIPS_OF_MEMORY_CONVERTED : STRIPS_OF_MEMORY);
  if (each <= THREAD_MEMORY) return MAX_THREADS;
  size_t count = EXTRA_MEMORY / (each - THREAD_MEMORY);
  return count < MAX_THREADS ? (unsigned)count : MAX_THREADS;
}

// Starts the threads where they help; says whether there are any to use. Nothing is on its way.
static bool uses_threads(cpng_pipeline *pipeline, const cpng_job *jobs, size_t count) {
  size_t strips = 0;
  unsigned active = pipeline->thread_limit;
  for (size_t i = 0; i < count; i++) {
    unsigned affordable = affordable_threads(&jobs[i]);
    if (affordable < active) active = affordable;
    strips += strip_count(&jobs[i]);
  }
  if (active < 2 || strips < 2) return false;
  pthread_mutex_lock(&pipeline->mutex);
  pipeline->active = active;
  pthread_mutex_unlock(&pipeline->mutex);
  pipeline->slot_count = SLOTS_PER_THREAD * active;
  if (strips >= STRIPS_WORTH_THREADS) start_threads(pipeline);
  return pipeline->thread_count > 0;
}

static cpng_status write_image(cpng_pipeline *pipeline, const cpng_job *job, size_t number,
                               const cpng_output *output, bool alone) {
  const cpng_image *image = &job->picture->image;
  uint32_t rows = cpng_strip_rows(image, job->level), count;
  for (uint32_t first = 0; first < image->height; first += count) {
    count = image->height - first < rows ? image->height - first : rows;
    slot *slot = pipeline->slots;
    cpng_status status = alone ? CPNG_OK : take_slot(pipeline, output, &slot);
    if (status != CPNG_OK) return status;
    cut(slot, job, number, first, count);
    if (!alone)
      submit(pipeline, slot);
    else if ((status = write_directly(pipeline, slot, output)) != CPNG_OK)
      return status;
  }
  return CPNG_OK;
}

cpng_failure cpng_pipeline_failure(const cpng_pipeline *pipeline) { return pipeline->failure; }

cpng_status cpng_pipeline_write(cpng_pipeline *pipeline, const cpng_job *jobs, size_t count,
                                const cpng_output *output) {
  bool alone = !uses_threads(pipeline, jobs, count);
  cpng_status status = CPNG_OK;
  for (size_t i = 0; i < count && status == CPNG_OK; i++)
    status = write_image(pipeline, &jobs[i], i, output, alone);
  if (status == CPNG_OK) status = drain(pipeline, output);
  abandon(pipeline);
  return status;
}

void cpng_pipeline_begin_rows(cpng_pipeline *pipeline, cpng_job job) {
  const cpng_picture *picture = job.picture;
  pipeline->feed = (row_feed){
      .job = job,
      .alone = !uses_threads(pipeline, &job, 1),
      .strip_rows = cpng_strip_rows(&picture->image, job.level),
      .row_bytes = ((size_t)picture->image.width * cpng_format_bits(picture->format) + 7) / 8,
  };
}

// Finds a slot for the next strip and puts the row above it into its window.
static cpng_status open_strip(cpng_pipeline *pipeline, const cpng_output *output) {
  row_feed *feed = &pipeline->feed;
  slot *slot = &pipeline->slots[feed->strips % 2];  // two, so that the row above stays
  cpng_status status = feed->alone ? CPNG_OK : take_slot(pipeline, output, &slot);
  if (status != CPNG_OK) return status;
  size_t count = ((size_t)feed->strip_rows + 1) * feed->row_bytes;
  uint8_t *window = reserve(&slot->window, &slot->window_capacity, count);
  if (window == NULL) return CPNG_MEMORY;
  if (feed->above != NULL) memcpy(window, feed->above, feed->row_bytes);
  feed->slot = slot;
  feed->filled = 0;
  return CPNG_OK;
}

// Sends the filled window on its way, as an image that has a row more where the strip is not the
// last one.
static cpng_status close_strip(cpng_pipeline *pipeline, const cpng_output *output) {
  row_feed *feed = &pipeline->feed;
  slot *slot = feed->slot;
  uint32_t first = feed->next_line - feed->filled;
  cut(slot, &feed->job, 0, first, feed->filled);
  cpng_idat *idat = &slot->idat;
  idat->first = 1;
  idat->image.rows = slot->window;
  if (idat->starts) {
    idat->first = 0;
    idat->image.rows += feed->row_bytes;
  }
  idat->image.stride = (ptrdiff_t)feed->row_bytes;
  idat->image.height = idat->first + idat->rows + (idat->ends ? 0 : 1);
  feed->above = slot->window + feed->filled * feed->row_bytes;
  feed->slot = NULL;
  feed->strips++;
  if (feed->alone) return write_directly(pipeline, slot, output);
  submit(pipeline, slot);
  return CPNG_OK;
}

cpng_status cpng_pipeline_add_rows(cpng_pipeline *pipeline, const cpng_output *output,
                                   const uint8_t *rows, ptrdiff_t stride, uint32_t count) {
  row_feed *feed = &pipeline->feed;
  for (uint32_t i = 0; i < count; i++) {
    cpng_status status = feed->slot == NULL ? open_strip(pipeline, output) : CPNG_OK;
    if (status != CPNG_OK) return status;
    feed->filled++;
    feed->next_line++;
    memcpy(feed->slot->window + feed->filled * feed->row_bytes, rows + (ptrdiff_t)i * stride,
           feed->row_bytes);
    bool full = feed->filled == feed->strip_rows;
    if (full || feed->next_line == feed->job.picture->image.height)
      status = close_strip(pipeline, output);
    if (status != CPNG_OK) return status;
  }
  return CPNG_OK;
}

cpng_status cpng_pipeline_finish_rows(cpng_pipeline *pipeline, const cpng_output *output) {
  cpng_status status = drain(pipeline, output);
  abandon(pipeline);
  return status;
}

void cpng_pipeline_cancel_rows(cpng_pipeline *pipeline) { abandon(pipeline); }
