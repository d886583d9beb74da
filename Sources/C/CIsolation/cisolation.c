// cisolation.c: how host and worker wait for each other. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cisolation.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/// Not the private operations: the other side is another process.
static void wake(const uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

// MARK: - The host's side

/// What the kernel may do in the middle of a block: the thread waits on purpose, and no node is at work on it.
static const void *begin_intended_call(void) {
  const void *subject = crealtime_own_work.subject;
  crealtime_end_work();
  crealtime_exit();
  return subject;
}

static void end_intended_call(const void *subject) {
  crealtime_enter();
  crealtime_begin_work(subject);
}

bool cisolation_hand_over(cisolation_block *block, uint32_t owner, uint32_t request) {
  uint32_t idle = owner;
  if (!__atomic_compare_exchange_n(&block->owner, &idle, owner | FUTEX_WAITERS, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return false;
  __atomic_store_n(&block->request, request, __ATOMIC_RELEASE);
  const void *subject = begin_intended_call();
  wake(&block->request);
  end_intended_call(subject);
  return true;
}

int cisolation_state(const cisolation_block *block, uint32_t owner, uint32_t request) {
  const uint32_t word = load(&block->owner);
  if (word == (owner | FUTEX_WAITERS)) return CISOLATION_LATE;
  return word == owner && load(&block->answered) == request ? CISOLATION_ANSWERED
                                                             : CISOLATION_ENDED;
}

int cisolation_await(cisolation_block *block, uint32_t owner, uint32_t request,
                     uint64_t deadline) {
  int state = cisolation_state(block, owner, request);
  if (state != CISOLATION_LATE) return state;
  const struct timespec due = {.tv_sec = (time_t)(deadline / UINT64_C(1000000000)),
                               .tv_nsec = (long)(deadline % UINT64_C(1000000000))};
  const void *subject = begin_intended_call();
  bool is_over = false;
  while (state == CISOLATION_LATE && !is_over) {
    const long result = syscall(SYS_futex, &block->owner, FUTEX_WAIT_BITSET, owner | FUTEX_WAITERS,
                                &due, NULL, FUTEX_BITSET_MATCH_ANY);
    is_over = result != 0 && errno != EAGAIN && errno != EINTR;
    state = cisolation_state(block, owner, request);
  }
  end_intended_call(subject);
  return state;
}

void cisolation_kill(int32_t process) {
  const void *subject = begin_intended_call();
  kill(-process, SIGKILL);
  end_intended_call(subject);
}

int32_t cisolation_set_priority(int32_t thread, int32_t priority) {
  const void *subject = begin_intended_call();
  struct sched_param parameters = {.sched_priority = 0};
  sched_getparam(thread, &parameters);
  const int32_t before = parameters.sched_priority;
  parameters.sched_priority = priority;
  if (before > 0) sched_setparam(thread, &parameters);
  end_intended_call(subject);
  return before;
}

int32_t cisolation_own_thread(void) {
  static __thread int32_t number;
  if (number == 0) number = (int32_t)syscall(SYS_gettid);
  return number;
}

int32_t cisolation_own_processor(void) { return sched_getcpu(); }

/// The thread that stays on each processor; 0 for none.
enum { PROCESSOR_COUNT = 1024 };
static _Atomic int32_t stayers[PROCESSOR_COUNT];

static void stay_on_processor(void) {
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  const int processor = sched_getcpu();
  if (policy != SCHED_FIFO || processor < 0 || processor >= PROCESSOR_COUNT) return;
  int32_t other = atomic_load(&stayers[processor]);
  const bool is_taken = other != 0 && syscall(SYS_tgkill, getpid(), other, 0) == 0;
  if (is_taken ||
      !atomic_compare_exchange_strong(&stayers[processor], &other, cisolation_own_thread()))
    return;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET((size_t)processor, &processors);
  sched_setaffinity(0, sizeof processors, &processors);
}

void cisolation_stay_on_processor(void) {
  static __thread bool is_decided;
  if (is_decided) return;
  is_decided = true;
  const void *subject = begin_intended_call();
  stay_on_processor();
  end_intended_call(subject);
}

void cisolation_close(cisolation_block *block) {
  __atomic_store_n(&block->is_closing, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&block->request, 1, __ATOMIC_RELEASE);
  wake(&block->request);
}

// MARK: - The worker's side

uint32_t cisolation_next_request(cisolation_block *block, uint32_t last) {
  uint32_t request;
  while ((request = load(&block->request)) == last)
    syscall(SYS_futex, &block->request, FUTEX_WAIT, last, NULL, NULL, 0);
  return load(&block->is_closing) ? last : request;
}

void cisolation_answer(cisolation_block *block, uint32_t owner, uint32_t request) {
  __atomic_store_n(&block->answered, request, __ATOMIC_RELEASE);
  __atomic_store_n(&block->owner, owner, __ATOMIC_RELEASE);
  wake(&block->owner);
}

static __thread int32_t followed_waiter, followed_processor = -1;
static __thread bool is_real_time;

void cisolation_follow_waiter(int32_t waiter) {
  if (waiter == followed_waiter) return;
  followed_waiter = waiter;
  struct sched_param parameters;
  const int policy = sched_getscheduler(waiter);
  is_real_time = (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO &&
                 sched_getparam(waiter, &parameters) == 0;
  if (is_real_time) {
    if (parameters.sched_priority > 1) parameters.sched_priority--;
    is_real_time = sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
  } else {
    parameters.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &parameters);
  }
}

void cisolation_follow_processor(int32_t processor) {
  if (!is_real_time || processor == followed_processor || processor < 0) return;
  followed_processor = processor;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET((size_t)processor, &processors);
  sched_setaffinity(0, sizeof processors, &processors);
}
