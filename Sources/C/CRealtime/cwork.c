// cwork.c: see cwork.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cwork.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { place_limit = 256, stack_bytes = 1 << 16 };

__thread crealtime_work crealtime_own_work __attribute__((tls_model("initial-exec")));

const char crealtime_end_record = 0;

/// A registered thread.
typedef struct {
  /// 0 if the slot is free.
  int32_t number;
  /// In the memory of the thread; NULL after it has ended.
  crealtime_work *work;
  /// The last known value.
  crealtime_work last;
} place;

// Held for a few instructions by threads that begin or end, and by the thread that polls.
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
static place places[place_limit];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t ending;
static __thread void *handler_stack;

/// Runs in each registered thread that ends, by any call, before its memory is freed.
static void end_thread(void *own) {
  place *it = own;
  pthread_mutex_lock(&registering);
  it->last = *it->work;
  it->work = NULL;
  if (it->last.subject == &crealtime_end_record) it->last.subject = NULL;
  // A thread that ends within a step stays in the list until it is reported.
  if (!it->last.subject) it->number = 0;
  pthread_mutex_unlock(&registering);
  if (!handler_stack) return;
  // Plugin code cannot remove the stack.
  crealtime_end_work();
  const stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  munmap(handler_stack, stack_bytes);
  handler_stack = NULL;
}

bool crealtime_is_copy;

void crealtime_end_copy(void) { _exit(0); }

/// Runs in the copy. Programs that a plugin starts replace it before the step ends.
static void mark_copy(void) { crealtime_is_copy = crealtime_own_work.subject != NULL; }

static void make_key(void) {
  pthread_key_create(&ending, end_thread);
  pthread_atfork(NULL, NULL, mark_copy);
}

static void give_handler_stack(void) {
  stack_t present;
  if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE)) return;
  void *memory = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack = {.ss_sp = memory, .ss_size = stack_bytes};
  if (sigaltstack(&stack, NULL) == 0) {
    handler_stack = memory;
  } else {
    munmap(memory, stack_bytes);
  }
}

void crealtime_begin_thread(void) {
  pthread_once(&once, make_key);
  if (pthread_getspecific(ending)) return;
  // A plugin that cancels its thread would end the audio without a message.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  give_handler_stack();
  pthread_mutex_lock(&registering);
  for (int i = 0; i < place_limit; i++) {
    if (places[i].number != 0) continue;
    places[i] = (place){.number = (int32_t)syscall(SYS_gettid), .work = &crealtime_own_work};
    pthread_setspecific(ending, &places[i]);
    break;
  }
  pthread_mutex_unlock(&registering);
}

// MARK: - Polling

/// Returns whether this process has no such thread; a zombie still exists.
static bool is_gone(int32_t number) {
  return syscall(SYS_tgkill, getpid(), number, 0) != 0 && errno == ESRCH;
}

/// Returns the kernel's state letter of a thread; 0 if there is no such thread, and `R` if the state is unknown,
/// for example after a plugin called `chroot`.
static char state_of(int32_t number) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return is_gone(number) ? 0 : 'R';
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // The state follows the name, which may contain any character.
  const char *end = strrchr(text, ')');
  return end && end[1] ? end[2] : 'R';
}

static uint64_t processor_time(int32_t number) {
  // Computed as in pthread_getcpuclockid, for a thread without a handle.
  const clockid_t clock = (clockid_t)(~(unsigned)number << 3 | 6);
  struct timespec time = {0};
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool is_end(char state) { return state == 0 || state == 'Z' || state == 'X'; }

/// Returns whether the kernel has ended a thread, for example because of a seccomp filter, so that `end_thread`
/// did not run.
static bool is_killed(const place *it, int32_t number) {
  // The first thread of a process remains as a zombie.
  if (number == getpid() ? !is_end(state_of(number)) : !is_gone(number)) return false;
  pthread_mutex_lock(&registering);
  const bool is_registered = it->number == number && it->work;
  pthread_mutex_unlock(&registering);
  return is_registered;
}

bool crealtime_thread_at(uint32_t position, crealtime_thread *thread) {
  *thread = (crealtime_thread){0};
  if (position >= place_limit) return false;
  pthread_mutex_lock(&registering);
  place *it = &places[position];
  if (it->number != 0 && it->work) {
    it->last.subject = __atomic_load_n(&it->work->subject, __ATOMIC_RELAXED);
    it->last.turn = __atomic_load_n(&it->work->turn, __ATOMIC_RELAXED);
    it->last.is_call = __atomic_load_n(&it->work->is_call, __ATOMIC_RELAXED);
  }
  const bool has_ended = it->number != 0 && !it->work;
  thread->number = it->number;
  thread->work = it->last;
  pthread_mutex_unlock(&registering);
  if (thread->number == 0) return true;
  // Between steps, the thread is not examined further.
  if (!thread->work.subject) {
    thread->has_ended = is_killed(it, thread->number);
    return true;
  }
  const char state = has_ended ? 0 : state_of(thread->number);
  thread->has_ended = is_end(state);
  thread->is_running = state == 'R';
  thread->is_stopped = state == 'T' || state == 't';
  thread->processor_nanoseconds = processor_time(thread->number);
  return true;
}

void crealtime_calm_thread(int32_t number) {
  const struct sched_param ordinary = {.sched_priority = 0};
  sched_setscheduler(number, SCHED_OTHER, &ordinary);
}

// MARK: - Starting

typedef struct {
  void *(*entry)(void *);
  void *context;
} start;

static void *begin(void *own) {
  const start what = *(start *)own;
  free(own);
  crealtime_begin_thread();
  void *result = what.entry(what.context);
  // Destructors of plugins run now, until `end_thread`.
  crealtime_begin_call(&crealtime_end_record);
  return result;
}

int crealtime_start_thread(unsigned long *thread, const void *attributes,
                           void *(*entry)(void *), void *context) {
  start *what = malloc(sizeof *what);
  if (!what) return ENOMEM;
  *what = (start){entry, context};
  const int status = pthread_create(thread, attributes, begin, what);
  if (status != 0) free(what);
  return status;
}
