// isolation-floor.c: a bare exchange with a child process by futex, with the copies of a stereo block. SPDX-License-Identifier: MIT
//
// Usage: isolation-floor COUNT [deadline]
//
// The parent sleeps until the next period, copies two channels of 64 frames into shared memory, wakes the child and waits
// for its answer, and copies two channels out. Both have real-time priority and run on one processor if permitted.
// With `deadline` each wait of the parent has a time-out, which never expires: the kernel then sets a timer for each block.
// Prints the 50th, 99th and 99.9th percentile in microseconds.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 64, CHANNELS = 2, PERIOD = 1333333 };

typedef struct {
  uint32_t request;
  uint32_t line[15];
  uint32_t answer;
  uint32_t rest[15];
  float channels[2 * CHANNELS][FRAMES];
} block;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void real_time(int priority) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET((size_t)sched_getcpu(), &processors);
  sched_setaffinity(0, sizeof processors, &processors);
  const struct sched_param parameters = {.sched_priority = priority};
  sched_setscheduler(0, SCHED_FIFO, &parameters);
}

static void wait_for(uint32_t *word, uint32_t value, uint64_t deadline) {
  const struct timespec due = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)};
  uint32_t seen;
  while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, deadline ? &due : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void publish(uint32_t *word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void serve(block *shared, uint32_t count) {
  prctl(PR_SET_PDEATHSIG, 9);
  for (uint32_t turn = 1; turn <= count; turn++) {
    wait_for(&shared->request, turn, 0);
    for (int c = 0; c < CHANNELS; c++)
      for (int i = 0; i < FRAMES; i++)
        shared->channels[CHANNELS + c][i] = 0.5f * shared->channels[c][i];
    publish(&shared->answer, turn);
  }
}

static int compare(const void *one, const void *other) {
  const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  const uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 5000;
  const int has_deadline = argc > 2;
  block *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint64_t *taken = calloc(count, sizeof *taken);
  if (shared == MAP_FAILED || !taken) return 1;
  real_time(70);
  if (fork() == 0) {
    real_time(69);
    serve(shared, count);
    _exit(0);
  }
  static float in[CHANNELS][FRAMES], out[CHANNELS][FRAMES];
  uint64_t next = now();
  for (uint32_t turn = 1; turn <= count; turn++) {
    next += PERIOD;
    const struct timespec due = {.tv_sec = (time_t)(next / 1000000000), .tv_nsec = (long)(next % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    const uint64_t began = now();
    memcpy(shared->channels, in, sizeof in);
    publish(&shared->request, turn);
    wait_for(&shared->answer, turn, has_deadline ? began + 1000000 : 0);
    memcpy(out, shared->channels[CHANNELS], sizeof out);
    taken[turn - 1] = now() - began;
  }
  qsort(taken, count, sizeof *taken, compare);
  printf("%s\t%.1f\t%.1f\t%.1f\n", has_deadline ? "deadline" : "floor", (double)taken[count / 2] / 1e3,
         (double)taken[(uint64_t)count * 99 / 100] / 1e3, (double)taken[(uint64_t)count * 999 / 1000] / 1e3);
  return 0;
}
