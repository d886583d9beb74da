// cprocess_state.c: see cprocess_state.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cprocess_state.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Signals that end or stop the process, or that the host may use.
static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                              SIGFPE,  SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGCONT,
                              SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ, SIGSYS,  SIGWINCH,
                              SIGUSR1, SIGUSR2};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

struct cprocess_state {
  uint32_t mxcsr;
  uint16_t x87;
  uint64_t fpcr;
  sigset_t mask;
  int directory;
  mode_t file_mode;
  char *locale;
  locale_t thread_locale;
  struct sigaction handlers[SIGNAL_COUNT];
  int nice;
  int policy;
  struct sched_param parameters;
  cpu_set_t processors;
  struct rlimit limits[RLIM_NLIMITS];
  struct itimerval timer;
  char **environment;
  int timer_slack;
};

/// Returns the file mode mask of the process, which can only be read by setting it.
static mode_t read_file_mode(void) {
  static pid_t process;
  static mode_t known;
  // The mask is restored at once, but another thread could create a file in between. So it is read once,
  // before plugin code runs.
  if (process != getpid()) {
    known = umask(077);
    umask(known);
    process = getpid();
  }
  return known;
}

static void read_floating_point(cprocess_state *state) {
#if defined(__x86_64__)
  state->mxcsr = _mm_getcsr();
  __asm__ volatile("fnstcw %0" : "=m"(state->x87));
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(state->fpcr));
#endif
}

/// Returns a copy of the environment in one allocation; NULL without memory.
static char **copy_environment(void) {
  size_t count = 0, bytes = 0;
  for (; environ && environ[count]; count++) bytes += strlen(environ[count]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + bytes);
  if (!copy) return NULL;
  char *text = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = text;
    text = stpcpy(text, environ[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

cprocess_state *cprocess_state_read(void) {
  cprocess_state *state = calloc(1, sizeof *state);
  if (!state) return NULL;
  read_floating_point(state);
  pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
  state->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  state->file_mode = read_file_mode();
  const char *locale = setlocale(LC_ALL, NULL);
  state->locale = locale ? strdup(locale) : NULL;
  state->thread_locale = uselocale((locale_t)0);
  for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i], NULL, &state->handlers[i]);
  state->nice = getpriority(PRIO_PROCESS, 0);
  state->policy = sched_getscheduler(0);
  sched_getparam(0, &state->parameters);
  CPU_ZERO(&state->processors);
  sched_getaffinity(0, sizeof state->processors, &state->processors);
  for (int i = 0; i < RLIM_NLIMITS; i++) getrlimit(i, &state->limits[i]);
  getitimer(ITIMER_REAL, &state->timer);
  state->environment = copy_environment();
  state->timer_slack = prctl(PR_GET_TIMERSLACK);
  return state;
}

static bool restore_floating_point(const cprocess_state *state) {
  cprocess_state now = {0};
  read_floating_point(&now);
#if defined(__x86_64__)
  // The six exception flags are not part of the mode.
  const uint32_t difference = (now.mxcsr ^ state->mxcsr) & ~0x3fu;
  if (difference == 0 && now.x87 == state->x87) return false;
  _mm_setcsr(state->mxcsr);
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(state->x87));
  // Many plugins disable denormals, as the host does: that is restored without a report.
  return (difference & ~0x8040u) != 0 || now.x87 != state->x87;
#elif defined(__aarch64__)
  if (now.fpcr == state->fpcr) return false;
  __asm__ volatile("msr fpcr, %0" : : "r"(state->fpcr));
  return ((now.fpcr ^ state->fpcr) & ~(UINT64_C(1) << 24)) != 0;
#else
  return false;
#endif
}

static bool restore_directory(const cprocess_state *state) {
  struct stat before, now;
  if (state->directory < 0 || fstat(state->directory, &before) != 0) return false;
  if (stat(".", &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino)
    return false;
  return fchdir(state->directory) == 0;
}

static bool restore_locale(const cprocess_state *state) {
  bool has_changed = false;
  if (uselocale((locale_t)0) != state->thread_locale) {
    uselocale(state->thread_locale);
    has_changed = true;
  }
  const char *now = setlocale(LC_ALL, NULL);
  if (state->locale && (!now || strcmp(now, state->locale) != 0)) {
    setlocale(LC_ALL, state->locale);
    has_changed = true;
  }
  return has_changed;
}

static bool is_same_action(const struct sigaction *one, const struct sigaction *other) {
  // The handler is a union with `sa_sigaction`, at the same address.
  return one->sa_handler == other->sa_handler && one->sa_flags == other->sa_flags;
}

/// Whether a plugin may keep a change of the action of a signal.
static bool is_harmless(int number, const struct sigaction *before, const struct sigaction *now) {
  if (before->sa_handler != SIG_DFL) return false;
  // A plugin may use a signal that has no other user.
  if (number == SIGUSR1 || number == SIGUSR2) return true;
  // The network library of the host ignores SIGPIPE when its first socket opens, on any thread. If that were undone, a
  // client that leaves would end the process.
  return number == SIGPIPE && now->sa_handler == SIG_IGN;
}

static bool restore_handlers(const cprocess_state *state) {
  bool has_changed = false;
  for (int i = 0; i < SIGNAL_COUNT; i++) {
    struct sigaction now;
    const struct sigaction *before = &state->handlers[i];
    if (sigaction(signals[i], NULL, &now) != 0 || is_same_action(before, &now)) continue;
    if (is_harmless(signals[i], before, &now)) continue;
    sigaction(signals[i], before, NULL);
    has_changed = true;
  }
  return has_changed;
}

static bool restore_priority(const cprocess_state *state) {
  struct sched_param parameters;
  const bool is_same = sched_getscheduler(0) == state->policy &&
                       sched_getparam(0, &parameters) == 0 &&
                       parameters.sched_priority == state->parameters.sched_priority &&
                       getpriority(PRIO_PROCESS, 0) == state->nice;
  if (is_same) return false;
  sched_setscheduler(0, state->policy, &state->parameters);
  setpriority(PRIO_PROCESS, 0, state->nice);
  return true;
}

static bool restore_processors(const cprocess_state *state) {
  cpu_set_t now;
  CPU_ZERO(&now);
  if (sched_getaffinity(0, sizeof now, &now) != 0 || CPU_EQUAL(&now, &state->processors))
    return false;
  sched_setaffinity(0, sizeof state->processors, &state->processors);
  return true;
}

static bool restore_limits(const cprocess_state *state) {
  bool has_changed = false;
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit now;
    const struct rlimit *before = &state->limits[i];
    if (getrlimit(i, &now) != 0) continue;
    if (now.rlim_cur == before->rlim_cur && now.rlim_max == before->rlim_max) continue;
    has_changed = true;
    if (setrlimit(i, before) == 0) continue;
    // A hard limit cannot be raised again; the soft limit is raised to the hard limit.
    now.rlim_cur = before->rlim_cur < now.rlim_max ? before->rlim_cur : now.rlim_max;
    setrlimit(i, &now);
  }
  return has_changed;
}

static bool restore_timer(const cprocess_state *state) {
  struct itimerval now;
  const bool was_set = state->timer.it_value.tv_sec || state->timer.it_value.tv_usec;
  if (was_set || getitimer(ITIMER_REAL, &now) != 0) return false;
  if (!now.it_value.tv_sec && !now.it_value.tv_usec) return false;
  const struct itimerval none = {0};
  setitimer(ITIMER_REAL, &none, NULL);
  return true;
}

static bool restore_mask(const cprocess_state *state) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, &state->mask, &mask);
  // The kernel uses 64 signals of the set.
  return memcmp(&mask, &state->mask, 8) != 0;
}

static bool restore_file_mode(const cprocess_state *state) {
  // Setting the expected mask returns the previous one, without a moment in which it differs.
  return umask(state->file_mode) != state->file_mode;
}

static bool is_same_environment(const cprocess_state *state) {
  char **now = environ;
  for (char **before = state->environment; *before; before++, now++)
    if (!now || !*now || strcmp(*before, *now) != 0) return false;
  return !now || !*now;
}

static bool restore_environment(const cprocess_state *state) {
  if (!state->environment || is_same_environment(state)) return false;
  clearenv();
  for (char **entry = state->environment; *entry; entry++) {
    const size_t length = strcspn(*entry, "=");
    char *name = strndup(*entry, length);
    if (name && (*entry)[length]) setenv(name, *entry + length + 1, 1);
    free(name);
  }
  return true;
}

static bool restore_timer_slack(const cprocess_state *state) {
  if (prctl(PR_GET_TIMERSLACK) == state->timer_slack) return false;
  prctl(PR_SET_TIMERSLACK, state->timer_slack);
  return true;
}

uint32_t cprocess_state_restore(cprocess_state *state, uint32_t parts) {
  // The signal mask is restored last: a blocked signal must find the host's handler.
  static const struct {
    uint32_t part;
    bool (*restore)(const cprocess_state *state);
  } steps[] = {
      {CPROCESS_FLOATING_POINT, restore_floating_point}, {CPROCESS_TIMER, restore_timer},
      {CPROCESS_SIGNAL_HANDLERS, restore_handlers},      {CPROCESS_SIGNAL_MASK, restore_mask},
      {CPROCESS_FOLDER, restore_directory},                 {CPROCESS_FILE_MODE, restore_file_mode},
      {CPROCESS_LOCALE, restore_locale},                 {CPROCESS_PRIORITY, restore_priority},
      {CPROCESS_PROCESSORS, restore_processors},         {CPROCESS_LIMITS, restore_limits},
      {CPROCESS_ENVIRONMENT, restore_environment},       {CPROCESS_TIMER_SLACK, restore_timer_slack},
  };
  uint32_t changed = 0;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
    if ((parts & steps[i].part) && steps[i].restore(state)) changed |= steps[i].part;
  if (state->directory >= 0) close(state->directory);
  free(state->locale);
  free(state->environment);
  free(state);
  return changed;
}
