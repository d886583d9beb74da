// timers.c: plugin code that starts timers whose signal ends the program. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library. A timer can expire before the host could stop it
// after the plugin's call, and its signal cannot be attributed to a plugin. So such timers are not started.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "exits.h"
#include "symbolizer.h"

typedef int creating(clockid_t clock, struct sigevent *event, timer_t *timer);

static creating *real_timer_create;

// Runs before any thread can call, because the lookup takes the lock of the loader.
__attribute__((constructor)) static void find(void) {
  real_timer_create = (creating *)dlsym(RTLD_NEXT, "timer_create");
}

/// Returns whether plugin code calls, also in helper processes, which do not report faults.
static bool is_foreign(const void *caller) { return !place_is_program(caller) || exits_are_foreign(caller); }

static int refuse(void) {
  errno = EPERM;
  return -1;
}

static bool is_started(const struct itimerval *timer) {
  return timer && (timer->it_value.tv_sec || timer->it_value.tv_usec);
}

static int set(int which, const struct itimerval *fresh, struct itimerval *old) {
  return (int)exits_call(SYS_setitimer, which, (long)fresh, (long)old, 0, 0, 0);
}

int setitimer(__itimer_which_t which, const struct itimerval *fresh, struct itimerval *old) {
  if (is_started(fresh) && is_foreign(CALLER)) return refuse();
  return set((int)which, fresh, old);
}

/// Sets the timer of SIGALRM, and returns the time that was left of it.
static struct timeval set_alarm(struct timeval first, struct timeval next) {
  const struct itimerval fresh = {.it_value = first, .it_interval = next};
  struct itimerval old = {0};
  set(ITIMER_REAL, &fresh, &old);
  return old.it_value;
}

unsigned alarm(unsigned seconds) {
  if (seconds && is_foreign(CALLER)) return 0;
  const struct timeval old = set_alarm((struct timeval){.tv_sec = seconds}, (struct timeval){0});
  // A time that was left is never 0, as in the C library.
  const unsigned left = (unsigned)old.tv_sec;
  return old.tv_usec >= 500000 || (left == 0 && old.tv_usec > 0) ? left + 1 : left;
}

useconds_t ualarm(useconds_t first, useconds_t next) {
  if (first && is_foreign(CALLER)) return 0;
  const struct timeval old = set_alarm((struct timeval){.tv_sec = first / 1000000, .tv_usec = first % 1000000},
                                       (struct timeval){.tv_sec = next / 1000000, .tv_usec = next % 1000000});
  return (useconds_t)(old.tv_sec * 1000000 + old.tv_usec);
}

/// Returns whether the signal of a timer would end the program.
static bool is_fatal(const struct sigevent *event) {
  if (event && event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_THREAD_ID) return false;
  struct sigaction action;
  if (sigaction(event ? event->sigev_signo : SIGALRM, NULL, &action) != 0) return false;
  // Plugin code may use a signal for which it has a handler.
  return action.sa_handler == SIG_DFL;
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer) {
  if (is_foreign(CALLER) && is_fatal(event)) return refuse();
  if (!real_timer_create) find();
  return real_timer_create(clock, event, timer);
}
