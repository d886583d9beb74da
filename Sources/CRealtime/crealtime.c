// crealtime.c: the part of crealtime.h that cannot be inline. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "crealtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

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
