// handlers.c: plugin code that replaces the handlers of crash signals. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library. Without its handler, a crash ends the program
// without a message. So plugin code cannot replace the handler, block the signals, or remove the stack of the
// handler. Other signals are not affected here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "crealtime.h"
#include "exits.h"
#include "handler.h"

typedef int setting(int number, const struct sigaction *fresh, struct sigaction *old);
typedef void handling(int number);
typedef handling *replacing(int number, handling *fresh);
typedef int stacking(const stack_t *fresh, stack_t *old);
typedef int masking(int how, const sigset_t *fresh, sigset_t *old);

static setting *real_sigaction;
static replacing *real_signal;
static stacking *real_sigaltstack;
static masking *real_pthread_sigmask, *real_sigprocmask;

// Runs before any thread can call, because the lookup takes the lock of the loader.
__attribute__((constructor)) static void find(void) {
  real_signal = (replacing *)dlsym(RTLD_NEXT, "signal");
  real_sigaltstack = (stacking *)dlsym(RTLD_NEXT, "sigaltstack");
  real_pthread_sigmask = (masking *)dlsym(RTLD_NEXT, "pthread_sigmask");
  real_sigprocmask = (masking *)dlsym(RTLD_NEXT, "sigprocmask");
  real_sigaction = (setting *)dlsym(RTLD_NEXT, "sigaction");
}

static bool is_crash(int number) {
  for (size_t i = 0; i < crash_signal_count; i++) {
    if (crash_signals[i] == number) return true;
  }
  return false;
}

/// The signal whose handler always stays; 0 for none.
static int kept_signal;

void crts_keep_signal(int number) { kept_signal = number; }

bool handlers_refuse(int number, const void *caller) {
  if (number == kept_signal && number != 0) return true;
  return is_crash(number) && exits_are_foreign(caller);
}

static int refuse(void) {
  errno = EPERM;
  return -1;
}

static int set(int number, const struct sigaction *fresh, struct sigaction *old) {
  if (!real_sigaction) find();
  return real_sigaction(number, fresh, old);
}

void handlers_set_default(int number) {
  const struct sigaction action = {.sa_handler = SIG_DFL};
  set(number, &action, NULL);
}

int sigaction(int number, const struct sigaction *fresh, struct sigaction *old) {
  if (fresh && handlers_refuse(number, CALLER)) return refuse();
  return set(number, fresh, old);
}

static handling *replace(int number, handling *fresh, const void *caller) {
  if (handlers_refuse(number, caller)) {
    errno = EPERM;
    return SIG_ERR;
  }
  if (!real_signal) find();
  return real_signal(number, fresh);
}

handling *signal(int number, handling *fresh) { return replace(number, fresh, CALLER); }
handling *ssignal(int number, handling *fresh) { return replace(number, fresh, CALLER); }
handling *bsd_signal(int number, handling *fresh) { return replace(number, fresh, CALLER); }

/// Functions of System V, which programs rarely use.
static handling *replace_by(const char *function, int number, handling *fresh, const void *caller) {
  replacing *real = handlers_refuse(number, caller) ? NULL : (replacing *)dlsym(RTLD_NEXT, function);
  if (real) return real(number, fresh);
  errno = EPERM;
  return SIG_ERR;
}

handling *sysv_signal(int number, handling *fresh) {
  return replace_by("sysv_signal", number, fresh, CALLER);
}

handling *__sysv_signal(int number, handling *fresh) {
  return replace_by("__sysv_signal", number, fresh, CALLER);
}

handling *sigset(int number, handling *fresh) { return replace_by("sigset", number, fresh, CALLER); }

int sigignore(int number) {
  const struct sigaction action = {.sa_handler = SIG_IGN};
  return handlers_refuse(number, CALLER) ? refuse() : set(number, &action, NULL);
}

int sigaltstack(const stack_t *fresh, stack_t *old) {
  // A plugin's own thread may have its own stack.
  if (fresh && crealtime_own_work.subject && exits_are_foreign(CALLER)) return refuse();
  if (!real_sigaltstack) find();
  return real_sigaltstack(fresh, old);
}

/// Copies a set without the signals of a crash, if plugin code blocks signals of a thread of the host. The kept signal
/// is never blocked.
static const sigset_t *without_crashes(int how, const sigset_t *fresh, sigset_t *copy, const void *caller) {
  if (fresh && how != SIG_UNBLOCK && kept_signal != 0) {
    *copy = *fresh;
    sigdelset(copy, kept_signal);
    return copy;
  }
  const bool blocks = fresh && how != SIG_UNBLOCK && crealtime_own_work.subject;
  if (!blocks || !exits_are_foreign(caller)) return fresh;
  *copy = *fresh;
  for (size_t i = 0; i < crash_signal_count; i++) sigdelset(copy, crash_signals[i]);
  return copy;
}

int pthread_sigmask(int how, const sigset_t *fresh, sigset_t *old) {
  sigset_t copy;
  if (!real_pthread_sigmask) find();
  return real_pthread_sigmask(how, without_crashes(how, fresh, &copy, CALLER), old);
}

int sigprocmask(int how, const sigset_t *fresh, sigset_t *old) {
  sigset_t copy;
  if (!real_sigprocmask) find();
  return real_sigprocmask(how, without_crashes(how, fresh, &copy, CALLER), old);
}
