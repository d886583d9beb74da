// clock.c: virtual time, and threads that take turns in it. SPDX-License-Identifier: MIT
#include "scripted.h"

#include <stdarg.h>
#include <sys/syscall.h>

#define MAX_THREADS 32
/// Reading the clock takes time, so that a loop without a wait ends.
#define COST_OF_LOOKING 50

struct thread {
  bool is_used, is_ended, waits;
  moment deadline;
  struct pollfd *descriptors;
  nfds_t count;
  struct thread *joined;
  pthread_t handle;
  pthread_cond_t turn;
  void *(*entry)(void *);
  void *context;
};

bool is_scripted;
moment now = 1000 * SECOND;
moment time_limit = NEVER;
__thread int depth;

static struct thread threads[MAX_THREADS];
static int last_turn;
static struct thread *running;
static __thread struct thread *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static moment stalled_until;

void give_up(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "scripted PCM: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, " (at %.6f s)\n", (double)(now - 1000 * SECOND) / 1e9);
  va_end(arguments);
  const char *report = getenv("SCRIPTED_PCM_REPORT");
  if (report) write_report(report);
  _exit(status);
}

// MARK: - The advance of time

static void advance(moment end) {
  for (;;) {
    moment event = next_event();
    for (int i = 0; i < card_count * 2; i++) {
      moment interrupt = stream_next(&streams[i]);
      if (interrupt < event) event = interrupt;
    }
    if (event > end) break;
    if (event > now) now = event;
    for (int i = 0; i < card_count * 2; i++)
      if (stream_next(&streams[i]) <= now) stream_interrupt(&streams[i]);
    run_events();
  }
  if (end > now) now = end;
  if (now > time_limit) give_up(98, "the time limit is over");
}

void stall_until(moment end) { stalled_until = end; }

// MARK: - Turns

static int look(struct pollfd *descriptors, nfds_t count) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    struct stream *stream = stream_with(descriptors[i].fd);
    if (stream) {
      short wanted = descriptors[i].events | POLLERR | POLLHUP | POLLNVAL;
      descriptors[i].revents = stream_events(stream) & wanted;
    } else {
      REAL(poll)(&descriptors[i], 1, 0);
    }
    if (descriptors[i].revents) ready++;
  }
  return ready;
}

static bool can_go_on(struct thread *thread) {
  if (thread->joined) return thread->joined->is_ended;
  return thread->deadline <= now || look(thread->descriptors, thread->count) > 0;
}

/// Returns the thread whose turn it is, in order after the last one; NULL if all wait.
static struct thread *next_turn(void) {
  if (now < stalled_until) return NULL;
  for (int i = 1; i <= MAX_THREADS; i++) {
    struct thread *thread = &threads[(last_turn + i) % MAX_THREADS];
    if (thread->is_used && !thread->is_ended && thread->waits && can_go_on(thread)) return thread;
  }
  return NULL;
}

static moment next_deadline(void) {
  if (now < stalled_until) return stalled_until;
  moment first = next_event();
  for (int i = 0; i < MAX_THREADS; i++) {
    struct thread *thread = &threads[i];
    if (thread->is_used && !thread->is_ended && thread->waits && !thread->joined &&
        thread->deadline < first)
      first = thread->deadline;
  }
  for (int i = 0; i < card_count * 2; i++) {
    moment interrupt = stream_next(&streams[i]);
    if (interrupt < first) first = interrupt;
  }
  return first;
}

/// Passes the turn to the next thread. The caller holds `lock`.
static void pass_on(void) {
  struct thread *next;
  while (!(next = next_turn())) {
    moment first = next_deadline();
    if (first != NEVER) {
      advance(first);
    } else {
      // Only events outside of the process can continue it.
      pthread_mutex_unlock(&lock);
      REAL(usleep)(1000);
      pthread_mutex_lock(&lock);
    }
  }
  last_turn = (int)(next - threads);
  next->waits = false;
  running = next;
  pthread_cond_signal(&next->turn);
}

static void give_way(void) {
  pthread_mutex_lock(&lock);
  own->waits = true;
  pass_on();
  while (running != own) pthread_cond_wait(&own->turn, &lock);
  pthread_mutex_unlock(&lock);
}

int wait_for(struct pollfd *descriptors, nfds_t count, moment deadline) {
  own->descriptors = descriptors;
  own->count = count;
  own->deadline = deadline;
  give_way();
  own->count = 0;
  return look(descriptors, count);
}

void spend(moment cost) {
  if (!own || depth > 1) return;
  advance(now + cost);
  // A thread that never waits must not delay the deadlines of the others.
  if (now < stalled_until || next_turn()) wait_for(NULL, 0, now);
}

void sleep_for(moment time) {
  if (!own || depth > 1) return;
  wait_for(NULL, 0, now + time);
}

// MARK: - The program's waits

static moment after(const struct timespec *time) {
  return (moment)time->tv_sec * SECOND + time->tv_nsec;
}

EXPORTED int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  if (!is_scripted || !own) return REAL(poll)(descriptors, count, milliseconds);
  if (depth++ == 0) {
    struct verdict verdict = judge("poll", -1);
    if (verdict.error) {
      spend(10 * COST_OF_LOOKING);
      depth--;
      errno = verdict.error;
      return -1;
    }
  }
  moment deadline = milliseconds < 0 ? NEVER : now + (moment)milliseconds * (SECOND / 1000);
  int ready = wait_for(descriptors, count, deadline);
  depth--;
  return ready;
}

EXPORTED int usleep(useconds_t microseconds) {
  if (!is_scripted || !own) return REAL(usleep)(microseconds);
  wait_for(NULL, 0, now + (moment)microseconds * 1000);
  return 0;
}

EXPORTED int nanosleep(const struct timespec *time, struct timespec *left) {
  if (!is_scripted || !own) return REAL(nanosleep)(time, left);
  wait_for(NULL, 0, now + after(time));
  return 0;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                             struct timespec *left) {
  if (!is_scripted || !own) return REAL(clock_nanosleep)(clock, flags, time, left);
  wait_for(NULL, 0, flags & TIMER_ABSTIME ? after(time) : now + after(time));
  return 0;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_scripted || !own || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return (int)syscall(SYS_clock_gettime, clock, time);
  spend(COST_OF_LOOKING);
  time->tv_sec = now / SECOND;
  time->tv_nsec = now % SECOND;
  return 0;
}

EXPORTED int mlockall(int flags) { return is_scripted ? 0 : REAL(mlockall)(flags); }

// MARK: - Threads

static void *begin(void *context) {
  own = context;
  pthread_mutex_lock(&lock);
  while (running != own) pthread_cond_wait(&own->turn, &lock);
  pthread_mutex_unlock(&lock);
  void *result = own->entry(own->context);
  pthread_mutex_lock(&lock);
  own->is_ended = true;
  pass_on();
  pthread_mutex_unlock(&lock);
  return result;
}

EXPORTED int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                            void *(*entry)(void *), void *context) {
  if (!is_scripted || !own) return REAL(pthread_create)(handle, attributes, entry, context);
  struct thread *thread = threads;
  while (thread < threads + MAX_THREADS && thread->is_used) thread++;
  if (thread == threads + MAX_THREADS) return EAGAIN;
  *thread = (struct thread){.is_used = true, .waits = true, .deadline = now, .entry = entry,
                            .context = context};
  pthread_cond_init(&thread->turn, NULL);
  // Tests run without real-time priority: it has no effect on virtual time, and could block the machine.
  if (attributes) pthread_attr_setinheritsched((pthread_attr_t *)attributes, PTHREAD_INHERIT_SCHED);
  int status = REAL(pthread_create)(handle, attributes, begin, thread);
  if (status) thread->is_used = false;
  thread->handle = *handle;
  return status;
}

EXPORTED int pthread_join(pthread_t handle, void **result) {
  if (!is_scripted || !own) return REAL(pthread_join)(handle, result);
  for (struct thread *thread = threads; thread < threads + MAX_THREADS; thread++) {
    if (!thread->is_used || !pthread_equal(thread->handle, handle)) continue;
    own->joined = thread;
    give_way();
    own->joined = NULL;
    int status = REAL(pthread_join)(handle, result);
    thread->is_used = thread->is_ended = false;
    return status;
  }
  return REAL(pthread_join)(handle, result);
}

// MARK: - Start and exit

/// Ends the process if virtual time stops: in a loop without calls, or in a wait that is not replaced here.
static void *watch(void *context) {
  (void)context;
  const char *text = getenv("SCRIPTED_PCM_PATIENCE");
  int timeout = text ? atoi(text) : 20;
  moment last = -1;
  for (int idle = 0; idle < timeout; idle++) {
    REAL(usleep)(1000000);
    if (now != last) idle = 0;
    last = now;
  }
  give_up(97, "no time has passed for %d real seconds", timeout);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("SCRIPTED_PCM");
  if (!path) return;
  read_script(path);
  own = running = &threads[0];
  own->is_used = true;
  own->handle = pthread_self();
  pthread_cond_init(&own->turn, NULL);
  pthread_t watcher;
  REAL(pthread_create)(&watcher, NULL, watch, NULL);
  is_scripted = true;
}

__attribute__((destructor)) static void finish(void) {
  const char *path = getenv("SCRIPTED_PCM_REPORT");
  if (is_scripted && path) write_report(path);
}
