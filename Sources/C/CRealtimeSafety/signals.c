// signals.c: plugin code that ends the program with a signal. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exits.h"
#include "faults.h"

typedef int signal_thread(pthread_t thread, int number);
typedef int queue_thread(pthread_t thread, int number, union sigval value);
typedef int queue(pid_t process, int number, union sigval value);
typedef long calling(long number, ...);

static calling *real_syscall;

// Runs before any thread can call, because the lookup takes the lock of the loader.
__attribute__((constructor)) static void find_syscall(void) {
  real_syscall = (calling *)dlsym(RTLD_NEXT, "syscall");
}

long exits_call(long number, long a, long b, long c, long d, long e, long f) {
  if (!real_syscall) find_syscall();
  return real_syscall(number, a, b, c, d, e, f);
}

/// Whether a signal is that of a crash, which the crash handler reports for the thread that receives it.
static bool is_crash(int number) {
  switch (number) {
  case SIGSEGV:
  case SIGABRT:
  case SIGFPE:
  case SIGILL:
  case SIGBUS:
  case SIGTRAP: return true;
  default: return false;
  }
}

/// Whether an unhandled signal ends a process. Signals of a crash are excluded.
static bool is_deadly(int number) {
  if (is_crash(number)) return false;
  switch (number) {
  case 0:
  case SIGCHLD:
  case SIGCONT:
  case SIGURG:
  case SIGWINCH: return false;
  case SIGKILL:
  case SIGSTOP: return true;
  default: break;
  }
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0) return false;
  // A plugin's own handler may use it.
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

/// Returns whether a signal to these processes reaches this one.
static bool is_own(pid_t process) {
  return process == getpid() || process == 0 || process == -1 || process == -getpgrp();
}

static void tell_of_signal(const char *function, int number) {
  char deed[128];
  snprintf(deed, sizeof deed, "sent signal %d to the program (%s)", number, function);
  faults_tell(0, deed, NULL);
  crts_end_now(EXIT_FAILURE);
}

static void meet(const char *function, int number, const void *caller) {
  if (is_deadly(number) && exits_are_foreign(caller)) tell_of_signal(function, number);
}

/// Reports a signal to a thread of this process. A crash signal to another thread would be attributed to that thread.
static void meet_for_thread(const char *function, pid_t thread, int number, const void *caller) {
  const bool ends = is_deadly(number) || (is_crash(number) && thread != gettid());
  if (ends && exits_are_foreign(caller)) tell_of_signal(function, number);
}

static int send_to_thread(int number) {
  return (int)exits_call(SYS_tgkill, getpid(), gettid(), number, 0, 0, 0);
}

int raise(int number) {
  meet("raise", number, CALLER);
  return send_to_thread(number);
}

int kill(pid_t process, int number) {
  if (is_own(process) && exits_are_foreign(CALLER)) {
    if (is_deadly(number)) tell_of_signal("kill", number);
    // A crash signal belongs to this thread: sent to the process, it could reach another thread.
    if (process == getpid() && number != 0 && number != SIGCHLD && number != SIGCONT)
      return send_to_thread(number);
  }
  return (int)exits_call(SYS_kill, process, number, 0, 0, 0, 0);
}

int killpg(pid_t group, int number) {
  if (group == 0 || group == getpgrp()) meet("killpg", number, CALLER);
  return (int)exits_call(SYS_kill, group == 0 ? 0 : -group, number, 0, 0, 0, 0);
}

int tgkill(pid_t process, pid_t thread, int number) {
  if (process == getpid()) meet_for_thread("tgkill", thread, number, CALLER);
  return (int)exits_call(SYS_tgkill, process, thread, number, 0, 0, 0);
}

int pthread_kill(pthread_t thread, int number) {
  const bool is_self = pthread_equal(thread, pthread_self());
  meet_for_thread("pthread_kill", is_self ? gettid() : 0, number, CALLER);
  signal_thread *real = (signal_thread *)dlsym(RTLD_NEXT, "pthread_kill");
  return real ? real(thread, number) : ENOSYS;
}

int pthread_sigqueue(pthread_t thread, int number, const union sigval value) {
  const bool is_self = pthread_equal(thread, pthread_self());
  meet_for_thread("pthread_sigqueue", is_self ? gettid() : 0, number, CALLER);
  queue_thread *real = (queue_thread *)dlsym(RTLD_NEXT, "pthread_sigqueue");
  return real ? real(thread, number, value) : ENOSYS;
}

int sigqueue(pid_t process, int number, const union sigval value) {
  if (process == getpid()) meet("sigqueue", number, CALLER);
  queue *real = (queue *)dlsym(RTLD_NEXT, "sigqueue");
  if (real) return real(process, number, value);
  errno = ENOSYS;
  return -1;
}

// MARK: - System calls by number

long syscall(long number, ...) {
  va_list list;
  long values[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
  va_end(list);
  switch (number) {
  case SYS_exit_group:
    if (exits_are_foreign(CALLER)) exits_tell("SYS_exit_group", (int)values[0]);
    break;
  case SYS_kill:
    if (is_own((pid_t)values[0])) meet("SYS_kill", (int)values[1], CALLER);
    break;
  case SYS_tkill: meet_for_thread("SYS_tkill", (pid_t)values[0], (int)values[1], CALLER); break;
  case SYS_tgkill:
    if (values[0] == getpid()) meet_for_thread("SYS_tgkill", (pid_t)values[1], (int)values[2], CALLER);
    break;
  case SYS_rt_sigaction:
    if (values[1] && handlers_refuse((int)values[0], CALLER)) {
      errno = EPERM;
      return -1;
    }
    break;
  case SYS_execve:
  case SYS_execveat:
    if (exits_are_foreign(CALLER)) programs_tell("execve");
    break;
  default: break;
  }
  return exits_call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
