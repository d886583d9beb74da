// bursts.c: a program that occupies each processor at random, as the neighbours of a virtual machine do. SPDX-License-Identifier: MIT
//
// scripts/shake runs it beside the tests. On each processor, a thread of the highest real-time priority works for half of
// the time. It interrupts threads also where they do not wait, so that the clock advances by any time between any two
// instructions. For some seconds, it interrupts them often and briefly, for others seldom and for long. Without the
// right to that priority, the threads have the usual one.
//
// Its argument is the seed of the random numbers.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// The longest work and the longest sleep, in ms, and how often they are repeated before the next choice.
static const struct {
  unsigned longest_ms, count;
} paces[] = {{3, 1000}, {30, 100}, {500, 6}};

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// A linear congruential generator; the constants are Knuth's (MMIX).
static uint64_t draw(uint64_t *state, uint64_t limit) {
  *state = *state * 6364136223846793005 + 1442695040888963407;
  return (*state >> 33) % limit;
}

static void *occupy(void *argument) {
  uint64_t state = (uint64_t)(uintptr_t)argument;
  for (;;) {
    const size_t pace = draw(&state, sizeof paces / sizeof paces[0]);
    for (unsigned count = 0; count < paces[pace].count; count++) {
      const uint64_t limit_us = paces[pace].longest_ms * 1000;
      const uint64_t end = now_ns() + 1000 * draw(&state, limit_us);
      while (now_ns() < end) {
      }
      usleep((useconds_t)draw(&state, limit_us));
    }
  }
  return NULL;
}

int main(int count, char **arguments) {
  const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
  cpu_set_t available;
  if (sched_getaffinity(0, sizeof available, &available) != 0) return 1;
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &available)) continue;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    const struct sched_param highest = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &highest);
    pthread_t thread;
    void *argument = (void *)(uintptr_t)(seed * 1000 + (uint64_t)processor);
    if (pthread_create(&thread, &attributes, occupy, argument) != 0) {
      fputs("bursts: no right to a real-time priority; the bursts are weaker\n", stderr);
      pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED);
      if (pthread_create(&thread, &attributes, occupy, argument) != 0) return 1;
    }
    pthread_attr_destroy(&attributes);
  }
  pause();
  return 0;
}
