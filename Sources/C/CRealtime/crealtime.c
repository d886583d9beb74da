// crealtime.c: the part of crealtime.h that cannot be inline. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "crealtime.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

uint64_t crealtime_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void crealtime_sleep_until(uint64_t nanoseconds) {
  struct timespec due = {.tv_sec = (time_t)(nanoseconds / UINT64_C(1000000000)),
                         .tv_nsec = (long)(nanoseconds % UINT64_C(1000000000))};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

int crealtime_set_fifo_priority(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}

int crealtime_lock_memory(void) {
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
}

// MARK: - Timers

int crealtime_timer_open(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

void crealtime_timer_set(int timer, uint64_t nanoseconds) {
  struct itimerspec due = {
      .it_value = {.tv_sec = (time_t)(nanoseconds / UINT64_C(1000000000)),
                   .tv_nsec = (long)(nanoseconds % UINT64_C(1000000000))}};
  timerfd_settime(timer, 0, &due, NULL);
}

bool crealtime_timer_wait(int timer) {
  uint64_t count;
  ssize_t got;
  do got = read(timer, &count, sizeof count);
  while (got < 0 && errno == EINTR);
  return got == sizeof count;
}

void crealtime_timer_close(int timer) { close(timer); }

// MARK: - Calls that may hang

/// Replaces the number of a call: the thread was abandoned.
#define CUT_OFF UINT64_MAX

struct crealtime_call_watchdog {
  /// Counts the begins and ends of calls: odd within a call.
  _Atomic(uint64_t) turn;
  _Atomic(const void *) subject;
  atomic_bool is_over;
};

static _Thread_local crealtime_call_watchdog *own_watch;

crealtime_call_watchdog *crealtime_watch_create(void) {
  crealtime_call_watchdog *watch = calloc(1, sizeof *watch);
  if (!watch) abort();
  return watch;
}

void crealtime_watch_free(crealtime_call_watchdog *watch) { free(watch); }

void crealtime_watch_begin(crealtime_call_watchdog *watch) { own_watch = watch; }

void crealtime_call_begin(const void *subject) {
  crealtime_call_watchdog *watch = own_watch;
  if (!watch) return;
  uint64_t turn = atomic_load_explicit(&watch->turn, memory_order_relaxed);
  atomic_store_explicit(&watch->subject, subject, memory_order_relaxed);
  // Pairs with the acquiring exchange in `crealtime_watch_cut_off`: the thread that takes over sees
  // everything that this thread did before the call.
  atomic_store_explicit(&watch->turn, turn + 1, memory_order_release);
}

void crealtime_call_end(void) {
  crealtime_call_watchdog *watch = own_watch;
  if (!watch) return;
  uint64_t turn = atomic_load_explicit(&watch->turn, memory_order_relaxed);
  // Acquiring, so that nothing after it is done before.
  if (turn != CUT_OFF && atomic_compare_exchange_strong_explicit(
                             &watch->turn, &turn, turn + 1, memory_order_acq_rel,
                             memory_order_acquire))
    return;
  atomic_store_explicit(&watch->is_over, true, memory_order_release);
  // The thread must neither return, because its stack frames belong to another thread now, nor unwind, which
  // Swift does not support. Its stack stays allocated.
  for (;;) poll(NULL, 0, -1);
}

uint64_t crealtime_watch_call(const crealtime_call_watchdog *watch, const void **subject) {
  uint64_t turn = atomic_load_explicit(&watch->turn, memory_order_acquire);
  if (turn % 2 == 0 || turn == CUT_OFF) return 0;
  *subject = atomic_load_explicit(&watch->subject, memory_order_relaxed);
  return turn;
}

bool crealtime_watch_cut_off(crealtime_call_watchdog *watch, uint64_t call) {
  return atomic_compare_exchange_strong_explicit(&watch->turn, &call, CUT_OFF, memory_order_acq_rel,
                                                 memory_order_acquire);
}

bool crealtime_watch_is_over(const crealtime_call_watchdog *watch) {
  return atomic_load_explicit(&watch->is_over, memory_order_acquire);
}
