// Copies between files with reading and writing at the same time.
//
// A part's content starts wherever its header ends, so the two files' pages never line up and the
// kernel can only copy byte by byte. Then the time of the reading half can be hidden behind the
// writing half, on another core.
#include "CSystemCalls.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 4, SLOT_SIZE = 256 * 1024 };

typedef struct {
  unsigned char *bytes;
  ssize_t count;  // 0 at the end, -1 after an error
} slot;

// The reader fills slots in a ring, the writer empties them; `filled` of them are the writer's.
typedef struct {
  int source;
  int64_t offset;
  size_t count;
  slot slots[SLOTS];
  unsigned filled;
  bool stopped;  // the writer needs no more
  int read_error;
  pthread_mutex_t lock;
  pthread_cond_t changed;
} ring;

static ssize_t read_fully(int source, unsigned char *bytes, size_t count, int64_t offset) {
  size_t done = 0;
  while (done < count) {
    ssize_t received = pread(source, bytes + done, count - done, (off_t)(offset + (int64_t)done));
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) return -1;
    if (received == 0) break;
    done += (size_t)received;
  }
  return (ssize_t)done;
}

static void *fill_slots(void *context) {
  ring *ring = context;
  size_t left = ring->count;
  int64_t offset = ring->offset;
  for (unsigned next = 0;; next = (next + 1) % SLOTS) {
    pthread_mutex_lock(&ring->lock);
    while (ring->filled == SLOTS && !ring->stopped)
      pthread_cond_wait(&ring->changed, &ring->lock);
    bool stopped = ring->stopped;
    pthread_mutex_unlock(&ring->lock);
    if (stopped) return NULL;

    slot *slot = &ring->slots[next];
    slot->count =
        read_fully(ring->source, slot->bytes, left < SLOT_SIZE ? left : SLOT_SIZE, offset);
    if (slot->count < 0) ring->read_error = errno;
    bool last = slot->count <= 0;  // the writer may have the slot, and change it, right below
    if (!last) {
      left -= (size_t)slot->count;
      offset += slot->count;
    }
    pthread_mutex_lock(&ring->lock);
    ring->filled++;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->lock);
    if (last) return NULL;
  }
}

static bool write_fully(int target, const unsigned char *bytes, size_t count, int64_t *copied) {
  while (count > 0) {
    ssize_t written = write(target, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= (size_t)written;
    *copied += written;
  }
  return true;
}

// Empties slots until the reader has no more; says in `result` what went wrong.
static void empty_slots(ring *ring, int target, csys_copy_result *result) {
  for (unsigned next = 0;; next = (next + 1) % SLOTS) {
    pthread_mutex_lock(&ring->lock);
    while (ring->filled == 0)
      pthread_cond_wait(&ring->changed, &ring->lock);
    pthread_mutex_unlock(&ring->lock);
    slot slot = ring->slots[next];
    if (slot.count < 0) result->read_error = ring->read_error;
    bool last = slot.count <= 0;
    if (!last && !write_fully(target, slot.bytes, (size_t)slot.count, &result->copied)) {
      result->write_error = errno;
      last = true;
    }
    pthread_mutex_lock(&ring->lock);
    ring->filled--;
    ring->stopped = last;
    pthread_cond_signal(&ring->changed);
    pthread_mutex_unlock(&ring->lock);
    if (last) return;
  }
}

csys_copy_result csys_copy_overlapped(int source, int64_t offset, int target, size_t count) {
  csys_copy_result result = {0};
  unsigned char *memory = malloc((size_t)SLOTS * SLOT_SIZE);
  if (memory == NULL) return (csys_copy_result){.unable = true};
  ring ring = {.source = source, .offset = offset, .count = count};
  for (unsigned i = 0; i < SLOTS; i++)
    ring.slots[i].bytes = memory + (size_t)i * SLOT_SIZE;
  pthread_mutex_init(&ring.lock, NULL);
  pthread_cond_init(&ring.changed, NULL);
  pthread_t reader;
  if (pthread_create(&reader, NULL, fill_slots, &ring) == 0) {
    empty_slots(&ring, target, &result);
    pthread_join(reader, NULL);
  } else {
    result.unable = true;
  }
  pthread_cond_destroy(&ring.changed);
  pthread_mutex_destroy(&ring.lock);
  free(memory);
  return result;
}
