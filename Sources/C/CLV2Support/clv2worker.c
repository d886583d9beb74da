// clv2worker.c: work that a plugin passes from its run to another thread. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "clv2support.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// MARK: - Ring

enum {
  // Lists and curves of editors exceed 8 KiB. A power of two, so that positions may wrap.
  ring_capacity_bytes = 65536,
  size_bytes = sizeof(uint32_t),
};

/// Messages from one thread to one other. Positions only grow; one commit makes a whole message visible.
typedef struct {
  _Alignas(64) atomic_uint written;
  _Alignas(64) atomic_uint taken;
  char bytes[ring_capacity_bytes];
} ring;

static void copy_in(ring *r, uint32_t position, const void *data, uint32_t size) {
  const uint32_t at = position % ring_capacity_bytes;
  const uint32_t first = size < ring_capacity_bytes - at ? size : ring_capacity_bytes - at;
  memcpy(r->bytes + at, data, first);
  memcpy(r->bytes, (const char *)data + first, size - first);
}

static void copy_out(const ring *r, uint32_t position, void *data, uint32_t size) {
  const uint32_t at = position % ring_capacity_bytes;
  const uint32_t first = size < ring_capacity_bytes - at ? size : ring_capacity_bytes - at;
  memcpy(data, r->bytes + at, first);
  memcpy((char *)data + first, r->bytes, size - first);
}

static LV2_Worker_Status put(ring *r, uint32_t size, const void *data) {
  const uint32_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  const uint32_t used = written - atomic_load_explicit(&r->taken, memory_order_acquire);
  const uint32_t room = ring_capacity_bytes - used;
  if (room < size_bytes || size > room - size_bytes) return LV2_WORKER_ERR_NO_SPACE;
  copy_in(r, written, &size, size_bytes);
  if (size > 0) copy_in(r, written + size_bytes, data, size);
  atomic_store_explicit(&r->written, written + size_bytes + size, memory_order_release);
  return LV2_WORKER_SUCCESS;
}

/// Copies the next message to `data`, which has room for any message; returns false if there is none.
static bool take(ring *r, uint32_t *size, void *data) {
  const uint32_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
  if (atomic_load_explicit(&r->written, memory_order_acquire) == taken) return false;
  copy_out(r, taken, size, size_bytes);
  copy_out(r, taken + size_bytes, data, *size);
  atomic_store_explicit(&r->taken, taken + size_bytes + *size, memory_order_release);
  return true;
}

static void clear(ring *r) { atomic_store(&r->taken, atomic_load(&r->written)); }

// MARK: - Worker

struct clv2_worker {
  ring requests;
  ring responses;
  /// The responses of the thread that restores a state, so that each ring has one writer.
  ring restored;
  char request[ring_capacity_bytes];
  char response[ring_capacity_bytes];
  const LV2_Worker_Interface *interface;
  LV2_Handle handle;
  bool is_synchronous;
  bool has_thread;
  atomic_bool shall_stop;
  sem_t wake;
  pthread_t thread;
  /// Held while `work` runs, because it must not run twice at the same time. The audio thread never takes it.
  /// Recursive, because work that is requested in `restore` may request more.
  pthread_mutex_t turn;
  atomic_bool is_restoring;
  bool is_alone;
  pthread_t restorer;
  const LV2_Worker_Interface *restoring;
};

static LV2_Worker_Status respond(LV2_Worker_Respond_Handle handle, uint32_t size,
                                 const void *data) {
  clv2_worker *worker = handle;
  return put(&worker->responses, size, data);
}

static LV2_Worker_Status respond_restored(LV2_Worker_Respond_Handle handle, uint32_t size,
                                          const void *data) {
  clv2_worker *worker = handle;
  return put(&worker->restored, size, data);
}

static bool is_restoring_here(clv2_worker *worker) {
  return atomic_load_explicit(&worker->is_restoring, memory_order_acquire) &&
         pthread_equal(worker->restorer, pthread_self());
}

static LV2_Worker_Status work_at_once(clv2_worker *worker, uint32_t size, const void *data) {
  if (!worker->restoring) return LV2_WORKER_ERR_UNKNOWN;
  pthread_mutex_lock(&worker->turn);
  const LV2_Worker_Status status = worker->restoring->work(
      worker->handle, respond_restored, worker, size, size > 0 ? data : NULL);
  pthread_mutex_unlock(&worker->turn);
  return status;
}

static LV2_Worker_Status schedule(LV2_Worker_Schedule_Handle handle, uint32_t size,
                                  const void *data) {
  clv2_worker *worker = handle;
  if (is_restoring_here(worker)) return work_at_once(worker, size, data);
  // Read once: some plugins call this from other threads, even while they are being destroyed.
  const LV2_Worker_Interface *interface = worker->interface;
  if (!interface) return LV2_WORKER_ERR_UNKNOWN;
  if (worker->is_synchronous)
    return interface->work(worker->handle, respond, worker, size, size > 0 ? data : NULL);
  const LV2_Worker_Status status = put(&worker->requests, size, data);
  if (status == LV2_WORKER_SUCCESS) sem_post(&worker->wake);
  return status;
}

static void *work(void *context) {
  clv2_worker *worker = context;
  // A plugin that changes the working directory here changes it for this thread only.
  unshare(CLONE_FS);
  for (;;) {
    while (sem_wait(&worker->wake) != 0) {
    }
    if (atomic_load(&worker->shall_stop)) return NULL;
    uint32_t size;
    if (!take(&worker->requests, &size, worker->request)) continue;
    pthread_mutex_lock(&worker->turn);
    worker->interface->work(worker->handle, respond, worker, size,
                            size > 0 ? worker->request : NULL);
    pthread_mutex_unlock(&worker->turn);
  }
}

clv2_worker *clv2_worker_create(bool is_synchronous) {
  clv2_worker *worker = aligned_alloc(64, (sizeof *worker + 63) / 64 * 64);
  if (!worker) return NULL;
  memset(worker, 0, sizeof *worker);
  worker->is_synchronous = is_synchronous;
  sem_init(&worker->wake, 0, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&worker->turn, &kind);
  pthread_mutexattr_destroy(&kind);
  return worker;
}

void clv2_worker_destroy(clv2_worker *worker) {
  sem_destroy(&worker->wake);
  pthread_mutex_destroy(&worker->turn);
  free(worker);
}

LV2_Worker_Schedule clv2_worker_feature(clv2_worker *worker) {
  return (LV2_Worker_Schedule){.handle = worker, .schedule_work = schedule};
}

int clv2_worker_start(clv2_worker *worker, const LV2_Descriptor *descriptor, LV2_Handle handle) {
  if (worker->interface || !descriptor->extension_data) return 0;
  const LV2_Worker_Interface *interface = descriptor->extension_data(LV2_WORKER__interface);
  if (!interface) return 0;
  worker->handle = handle;
  worker->interface = interface;
  if (worker->is_synchronous) return 0;
  atomic_store(&worker->shall_stop, false);
  // Signals are handled on the main thread: the new thread inherits a mask that blocks all but those of a
  // crash.
  static const int crashes[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigdelset(&all, crashes[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int status = pthread_create(&worker->thread, NULL, work, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  worker->has_thread = status == 0;
  if (status != 0) worker->interface = NULL;
  return status;
}

void clv2_worker_stop(clv2_worker *worker) {
  if (worker->has_thread) {
    atomic_store(&worker->shall_stop, true);
    sem_post(&worker->wake);
    pthread_join(worker->thread, NULL);
    worker->has_thread = false;
    while (sem_trywait(&worker->wake) == 0) {
    }
  }
  worker->interface = NULL;
  clear(&worker->requests);
  clear(&worker->responses);
}

void clv2_worker_begin_restore(clv2_worker *worker, const LV2_Descriptor *descriptor,
                               LV2_Handle handle, bool is_alone) {
  if (is_alone) pthread_mutex_lock(&worker->turn);
  worker->is_alone = is_alone;
  worker->restoring = worker->interface;
  if (!worker->restoring && descriptor->extension_data) {
    worker->restoring = descriptor->extension_data(LV2_WORKER__interface);
    worker->handle = handle;
  }
  worker->restorer = pthread_self();
  atomic_store_explicit(&worker->is_restoring, true, memory_order_release);
}

void clv2_worker_end_restore(clv2_worker *worker) {
  atomic_store_explicit(&worker->is_restoring, false, memory_order_release);
  if (worker->is_alone) pthread_mutex_unlock(&worker->turn);
}

static void deliver(clv2_worker *worker, ring *from) {
  uint32_t size;
  while (take(from, &size, worker->response))
    if (worker->interface->work_response)
      worker->interface->work_response(worker->handle, size, size > 0 ? worker->response : NULL);
}

void clv2_worker_deliver_restored(clv2_worker *worker) {
  if (worker->interface) deliver(worker, &worker->restored);
}

void clv2_worker_deliver(clv2_worker *worker) {
  const LV2_Worker_Interface *interface = worker->interface;
  if (!interface) return;
  deliver(worker, &worker->responses);
  if (interface->end_run) interface->end_run(worker->handle);
}
