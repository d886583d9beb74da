// delays.c: a library, loaded before all others, that delays waiting calls at random. SPDX-License-Identifier: MIT
//
// scripts/shake loads it into the tests and into every program that they start. Each call that waits (for a
// semaphore, a lock, a condition, a futex, time, input, a child process) and each new thread may be delayed,
// before the call or after it, as on a machine with too few processors. A test that passes only if something
// happens within some milliseconds fails under it.
//
// SHAKE_SEED selects the limit of a delay (15, 20 or 60 ms), how many calls are delayed (one in eight to one
// in three), and the sequence of random numbers of each thread. Threads are numbered in the order in which
// they make their first such call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: - Choice of delays

static uint64_t seed;
static uint64_t limit_ns;
static uint64_t one_in;
static atomic_uint_fast64_t threads;

// The dynamic loader allocates these for each thread. They need no destructor.
static _Thread_local uint64_t random_state;
static _Thread_local uint64_t started_ns;
static _Thread_local uint64_t delayed_ns;

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

__attribute__((constructor)) static void set_up(void) {
  const char *text = getenv("SHAKE_SEED");
  const uint64_t number = text ? strtoull(text, NULL, 10) : 0;
  static const uint64_t limits_ms[] = {15, 20, 60};
  limit_ns = limits_ms[number % 3] * 1000000;
  one_in = 3 + mix(number) % 6;
  // Child processes that run different programs use different sequences.
  for (const char *c = program_invocation_short_name; *c; c++) seed = mix(seed ^ (unsigned char)*c);
  seed ^= mix(number);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t draw(void) {
  if (random_state == 0) {
    random_state = mix(seed ^ mix(atomic_fetch_add(&threads, 1) + 1)) | 1;
    started_ns = now_ns();
  }
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void rest(uint64_t nanoseconds) {
  const int error = errno;
  const struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  // nanosleep() is not used, because it is replaced below.
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
  delayed_ns += nanoseconds;
  errno = error;
}

// Delays this thread, or not. A thread with very many calls spends at most a quarter of its time here.
static void delay(void) {
  if (limit_ns == 0 || draw() % one_in != 0) return;
  const uint64_t nanoseconds = draw() % limit_ns;
  if (delayed_ns > 150000000 && 4 * delayed_ns > now_ns() - started_ns) return;
  rest(nanoseconds);
}

// Selects at random whether a call is delayed before it.
static bool is_before(void) { return draw() & 1 << 20; }

// MARK: - Calls

// Returns the next library's function. Unversioned lookup of condition functions may return the oldest version.
static void *find(const char *name) {
  void *function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  return function != NULL ? function : dlsym(RTLD_NEXT, name);
}

#define REAL(name)                                                         \
  static _Atomic(typeof(&name)) found;                                     \
  typeof(&name) real = atomic_load_explicit(&found, memory_order_relaxed); \
  if (real == NULL) {                                                      \
    real = (typeof(&name))find(#name);                                     \
    atomic_store_explicit(&found, real, memory_order_relaxed);             \
  }

// Defines `name`, which calls the next library's function of that name with a delay before or after it.
#define DELAYED(result, name, parameters, arguments) \
  result name parameters {                           \
    REAL(name)                                       \
    const bool before = is_before();                 \
    if (before) delay();                             \
    result outcome = real arguments;                 \
    if (!before) delay();                            \
    return outcome;                                  \
  }

DELAYED(int, sem_wait, (sem_t * semaphore), (semaphore))
DELAYED(int, sem_timedwait, (sem_t * semaphore, const struct timespec *end), (semaphore, end))
DELAYED(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *end),
        (semaphore, clock, end))
DELAYED(int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
DELAYED(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
DELAYED(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
DELAYED(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock), (condition, lock))
DELAYED(int, pthread_cond_timedwait,
        (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *end),
        (condition, lock, end))
DELAYED(int, pthread_cond_clockwait,
        (pthread_cond_t * condition, pthread_mutex_t *lock, clockid_t clock, const struct timespec *end),
        (condition, lock, clock, end))
DELAYED(int, pthread_join, (pthread_t thread, void **result), (thread, result))
DELAYED(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
DELAYED(int, clock_nanosleep,
        (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
        (clock, flags, time, left))
DELAYED(int, usleep, (useconds_t microseconds), (microseconds))
DELAYED(unsigned, sleep, (unsigned seconds), (seconds))
DELAYED(int, poll, (struct pollfd * files, nfds_t count, int milliseconds), (files, count, milliseconds))
DELAYED(int, ppoll,
        (struct pollfd * files, nfds_t count, const struct timespec *time, const sigset_t *signals),
        (files, count, time, signals))
DELAYED(int, select, (int count, fd_set *read, fd_set *write, fd_set *other, struct timeval *time),
        (count, read, write, other, time))
DELAYED(int, pselect,
        (int count, fd_set *read, fd_set *write, fd_set *other, const struct timespec *time,
         const sigset_t *signals),
        (count, read, write, other, time, signals))
DELAYED(int, epoll_wait, (int set, struct epoll_event *events, int count, int milliseconds),
        (set, events, count, milliseconds))
DELAYED(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
DELAYED(ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count))
DELAYED(ssize_t, recv, (int file, void *bytes, size_t count, int flags), (file, bytes, count, flags))
DELAYED(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
DELAYED(pid_t, waitpid, (pid_t process, int *status, int options), (process, status, options))
DELAYED(pid_t, wait4, (pid_t process, int *status, int options, struct rusage *usage),
        (process, status, options, usage))
DELAYED(int, waitid, (idtype_t kind, id_t id, siginfo_t *facts, int options), (kind, id, facts, options))

// Swift's Mutex and Synchronization make this system call themselves.
long syscall(long number, ...) {
  REAL(syscall)
  va_list list;
  va_start(list, number);
  long values[6];
  for (int index = 0; index < 6; index++) values[index] = va_arg(list, long);
  va_end(list);
  const bool waits = number == SYS_futex && (values[1] & FUTEX_CMD_MASK) != FUTEX_WAKE;
  const bool before = waits && is_before();
  if (before) delay();
  const long outcome = real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  if (waits && !before) delay();
  return outcome;
}

// MARK: - New threads

struct beginning {
  void *(*function)(void *);
  void *argument;
};

static void *begin(void *memory) {
  const struct beginning beginning = *(struct beginning *)memory;
  free(memory);
  delay();
  return beginning.function(beginning.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
  REAL(pthread_create)
  struct beginning *beginning = malloc(sizeof *beginning);
  if (beginning == NULL) return EAGAIN;
  *beginning = (struct beginning){function, argument};
  const int error = real(thread, attributes, begin, beginning);
  if (error != 0) free(beginning);
  return error;
}
