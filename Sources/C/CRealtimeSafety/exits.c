// exits.c: plugin code that ends the program with a call. SPDX-License-Identifier: MIT
//
// The functions here replace those of the C library for every library, because the loader searches the
// program first. If the program itself calls them, or if faults are not reported, they do the same as the C
// library's functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crealtime.h"
#include "exits.h"
#include "faults.h"
#include "symbolizer.h"

typedef void ending(int status);

/// The time limit for plugin functions that are registered with `atexit`, in seconds.
enum { ending_seconds = 10 };

/// The exit status that the program itself requested; -1 while it runs.
static atomic_int requested_status = -1;

/// Ends the process at once, without a message.
static _Noreturn void end_now(int status) {
  for (;;) exits_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

void crts_end_now(int status) { end_now(status); }

static void end_late(int number) {
  (void)number;
  const int status = atomic_load(&requested_status);
  end_now(status < 0 ? EXIT_FAILURE : status);
}

int crts_requested_status(void) { return atomic_load(&requested_status); }

void crts_limit_end(unsigned seconds) {
  const struct sigaction action = {.sa_handler = end_late, .sa_flags = SA_ONSTACK};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigaction(SIGALRM, &action, NULL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  alarm(seconds);
}

bool exits_are_foreign(const void *caller) {
  if (!faults_are_reported()) return false;
  // After a tail call, the return address is that of the plugin's caller: of this program while it calls the
  // plugin, or of the C library in a thread or handler of the plugin. The C library itself calls none of
  // these functions.
  const void *subject = crealtime_own_work.subject;
  return (subject && subject != &crealtime_end_record) || !place_is_program(caller);
}

void exits_tell(const char *function, int status) {
  char deed[128];
  snprintf(deed, sizeof deed, "called %s(%d)", function, status);
  faults_tell(0, deed, NULL);
  end_now(EXIT_FAILURE);
}

static _Noreturn void end_by(const char *function, int status) {
  // Another thread reports a fault, and then ends the process.
  faults_wait();
  if (faults_are_reported()) {
    atomic_store(&requested_status, status);
    crts_limit_end(ending_seconds);
    // Destructors and `atexit` functions of plugins run from now on.
    crealtime_begin_thread();
    crealtime_begin_call(&crealtime_end_record);
  }
  ending *real = (ending *)dlsym(RTLD_NEXT, function);
  if (real) real(status);
  end_now(status);
}

_Noreturn void exit(int status) {
  if (exits_are_foreign(CALLER)) exits_tell("exit", status);
  end_by("exit", status);
}

_Noreturn void quick_exit(int status) {
  if (exits_are_foreign(CALLER)) exits_tell("quick_exit", status);
  end_by("quick_exit", status);
}

_Noreturn void _exit(int status) {
  if (exits_are_foreign(CALLER)) exits_tell("_exit", status);
  end_now(status);
}

_Noreturn void _Exit(int status) {
  if (exits_are_foreign(CALLER)) exits_tell("_Exit", status);
  end_now(status);
}

/// Reports an end by the C library itself, as `errx` does.
static void note_end(void) {
  if (!faults_are_reported()) return;
  // A thread of a plugin may have reported a fault meanwhile.
  const void *subject = crealtime_own_work.subject;
  const bool is_own = !subject || subject == &crealtime_end_record;
  if (is_own && !faults_have_foreign_caller()) return faults_wait();
  faults_tell(0, "called exit (through the C library)", NULL);
  end_now(EXIT_FAILURE);
}

void faults_tell_of_ends(void) {
  atexit(note_end);
  at_quick_exit(note_end);
}
