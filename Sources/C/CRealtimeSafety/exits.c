// exits.c: foreign code that ends the program by a call. SPDX-License-Identifier: MIT
//
// The functions here stand before the C library's for every library, as the loader looks into the program first. Called
// by the program itself, or if faults are not reported, they do the same as the C library's functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crealtime.h"
#include "faults.h"
#include "symbolizer.h"

typedef void ending(int status);

/// Ends the process at once, without another word.
static _Noreturn void end_now(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void crts_end_now(int status) { end_now(status); }

static void end_late(int number) {
  (void)number;
  end_now(EXIT_FAILURE);
}

void crts_limit_end(unsigned seconds) {
  const struct sigaction action = {.sa_handler = end_late, .sa_flags = SA_ONSTACK};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigaction(SIGALRM, &action, NULL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  alarm(seconds);
}

/// Whether a function was called by neither this program nor the C library.
static bool is_foreign(const void *caller) {
  return faults_are_told() && !place_is_program(caller) && !place_is_system(caller);
}

static void tell_of_end(const char *function, int status) {
  char deed[128];
  snprintf(deed, sizeof deed, "called %s(%d)", function, status);
  faults_tell(0, deed, NULL);
  end_now(EXIT_FAILURE);
}

static _Noreturn void end_by(const char *function, int status) {
  // Another thread reports a fault, and then ends the process.
  faults_wait();
  ending *real = (ending *)dlsym(RTLD_NEXT, function);
  if (real) real(status);
  end_now(status);
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

_Noreturn void exit(int status) {
  if (is_foreign(CALLER)) tell_of_end("exit", status);
  end_by("exit", status);
}

_Noreturn void quick_exit(int status) {
  if (is_foreign(CALLER)) tell_of_end("quick_exit", status);
  end_by("quick_exit", status);
}

_Noreturn void _exit(int status) {
  if (is_foreign(CALLER)) tell_of_end("_exit", status);
  end_now(status);
}

_Noreturn void _Exit(int status) {
  if (is_foreign(CALLER)) tell_of_end("_Exit", status);
  end_now(status);
}

/// What the C library ends by itself, as `errx` does.
static void note_end(void) {
  if (!faults_are_told() || !faults_have_foreign_caller()) return;
  faults_tell(0, "called exit (through the C library)", NULL);
  end_now(EXIT_FAILURE);
}

void faults_tell_of_ends(void) {
  atexit(note_end);
  at_quick_exit(note_end);
}

// MARK: - Signals to oneself

/// Whether an unhandled signal ends a process. Signals of a crash are excluded: the crash handler reports them.
static bool is_deadly(int number) {
  switch (number) {
  case 0:
  case SIGCHLD:
  case SIGCONT:
  case SIGURG:
  case SIGWINCH:
  case SIGSEGV:
  case SIGABRT:
  case SIGFPE:
  case SIGILL:
  case SIGBUS:
  case SIGTRAP: return false;
  case SIGKILL:
  case SIGSTOP: return true;
  default: break;
  }
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0) return false;
  // A plugin's own handler may want it.
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

static void tell_of_signal(const char *function, int number) {
  char deed[128];
  snprintf(deed, sizeof deed, "sent signal %d to the program (%s)", number, function);
  faults_tell(0, deed, NULL);
  end_now(EXIT_FAILURE);
}

int raise(int number) {
  if (is_deadly(number) && is_foreign(CALLER)) tell_of_signal("raise", number);
  return (int)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

int kill(pid_t process, int number) {
  const bool is_own = process == getpid() || process == 0 || process == -1 || process == -getpgrp();
  if (is_own && is_foreign(CALLER)) {
    if (is_deadly(number)) tell_of_signal("kill", number);
    // One of a crash is this thread's: sent to the process it would come to another one.
    if (process == getpid() && number != 0 && number != SIGCHLD && number != SIGCONT)
      return raise(number);
  }
  return (int)syscall(SYS_kill, process, number);
}
