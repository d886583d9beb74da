// isolation-ends.c: how fast a bare program sees that its child ended, by a robust futex. SPDX-License-Identifier: MIT
//
// Usage: isolation-ends COUNT MEGABYTES
//
// The child touches its memory, owns a robust futex, sleeps for most of the time, and then never returns, as a worker
// process in the middle of a block. The kernel stops real-time threads that are busy for longer. After one and a half
// seconds a thread kills the child (`kill`), or the child crashes, and its signal handler wakes the parent (`crash`).
// Parent and child have real-time priority and run on one processor if permitted. Prints the 50th, 99th and 99.9th percentile in microseconds for each way.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  struct robust_list entry;
  uint32_t owner;
  uint32_t is_crashing;
  uint64_t began;
} block;

typedef struct {
  block *shared;
  pid_t child;
} fate;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static cpu_set_t all;

static void real_time(int priority, int processor) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET((size_t)processor, &processors);
  sched_setaffinity(0, sizeof processors, &processors);
  const struct sched_param parameters = {.sched_priority = priority};
  sched_setscheduler(0, SCHED_FIFO, &parameters);
}

static block *crashing;

static void report_crash(int number) {
  (void)number;
  __atomic_store_n(&crashing->owner, FUTEX_OWNER_DIED, __ATOMIC_RELEASE);
  syscall(SYS_futex, &crashing->owner, FUTEX_WAKE, 1, NULL, NULL, 0);
  _exit(0);
}

static void serve(block *shared, size_t bytes, int processor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  memset(malloc(bytes), 1, bytes);
  struct robust_list_head list = {.list = {.next = &shared->entry}};
  shared->entry.next = &list.list;
  list.futex_offset = (char *)&shared->owner - (char *)&shared->entry;
  syscall(SYS_set_robust_list, &list, sizeof list);
  __atomic_store_n(&shared->owner, (uint32_t)getpid() | FUTEX_WAITERS, __ATOMIC_RELEASE);
  crashing = shared;
  signal(SIGSEGV, report_crash);
  usleep(700000);
  real_time(69, processor);
  while (!__atomic_load_n(&shared->is_crashing, __ATOMIC_ACQUIRE)) {
  }
  *(volatile int *)0 = 1;
}

static void *end(void *argument) {
  const fate *next = argument;
  usleep(1500000);
  next->shared->began = now();
  if (next->child)
    kill(next->child, SIGKILL);
  else
    __atomic_store_n(&next->shared->is_crashing, 1, __ATOMIC_RELEASE);
  return NULL;
}

static uint64_t measure(block *shared, size_t bytes, int is_killed) {
  memset(shared, 0, sizeof *shared);
  const int processor = sched_getcpu();
  const pid_t child = fork();
  if (child == 0) serve(shared, bytes, processor);
  fate next = {.shared = shared, .child = is_killed ? child : 0};
  pthread_t thread;
  uint32_t owner;
  while ((owner = __atomic_load_n(&shared->owner, __ATOMIC_ACQUIRE)) == 0) usleep(1000);
  pthread_create(&thread, NULL, end, &next);
  real_time(70, processor);
  // As for a worker process, the wait has a time-out.
  const struct timespec due = {.tv_sec = (time_t)(now() / 1000000000) + 60};
  while ((owner = __atomic_load_n(&shared->owner, __ATOMIC_ACQUIRE)) == ((uint32_t)child | FUTEX_WAITERS))
    syscall(SYS_futex, &shared->owner, FUTEX_WAIT_BITSET, owner, &due, NULL, FUTEX_BITSET_MATCH_ANY);
  const uint64_t seen = now();
  const struct sched_param usual = {.sched_priority = 0};
  sched_setscheduler(0, SCHED_OTHER, &usual);
  sched_setaffinity(0, sizeof all, &all);
  pthread_join(thread, NULL);
  waitpid(child, NULL, 0);
  return seen - shared->began;
}

static int compare(const void *one, const void *other) {
  const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? (size_t)atol(argv[1]) : 20;
  const size_t bytes = (argc > 2 ? (size_t)atol(argv[2]) : 1000) << 20;
  block *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint64_t *taken = calloc(count, sizeof *taken);
  if (shared == MAP_FAILED || !taken) return 1;
  sched_getaffinity(0, sizeof all, &all);
  for (int is_killed = 1; is_killed >= 0; is_killed--) {
    for (size_t turn = 0; turn < count; turn++) taken[turn] = measure(shared, bytes, is_killed);
    qsort(taken, count, sizeof *taken, compare);
    printf("%s\t%.1f\t%.1f\t%.1f\n", is_killed ? "bare kill" : "bare crash", (double)taken[count / 2] / 1e3,
           (double)taken[count * 99 / 100] / 1e3, (double)taken[count * 999 / 1000] / 1e3);
  }
  return 0;
}
