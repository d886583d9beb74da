// faults.c: the plugin and location of code that ends this process. SPDX-License-Identifier: MIT
//
// A signal handler may call few functions. This one takes a backtrace and queries the loader for names,
// because the process ends anyway. Then it waits for another thread, which can find the source line, publish
// the fault, and close recordings. If no thread does so within some seconds, the handler prints what is
// known.
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <execinfo.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "crealtime.h"
#include "exits.h"
#include "handler.h"
#include "names.h"
#include "symbolizer.h"

enum { depth_limit = 48, taking_milliseconds = 2000, telling_milliseconds = 6000 };

/// The process that reports faults; 0 for none.
static _Atomic(pid_t) host;
/// Whether a thread waits for faults.
static atomic_bool is_awaited;
/// The id of the faulty thread; the first one, if there are several.
static _Atomic(pid_t) culprit;
/// A fault, and the memory of its texts.
typedef struct {
  crts_fault fault;
  char owner[512], deed[128], place[256], library[4096], plugin[4096];
} record;
static record first, hung;
/// The progress of the report.
enum { UNDESCRIBED, DESCRIBED, TAKEN, SPOKEN, DONE };
static atomic_int progress;

static pid_t own_number(void) { return (pid_t)syscall(SYS_gettid); }

static void rest(void) {
  const struct timespec time = {.tv_nsec = 1000000};
  nanosleep(&time, NULL);
}

// MARK: - Describing

static const char *name_of(int number) {
  switch (number) {
  case SIGSEGV: return "segmentation fault";
  case SIGABRT: return "abort";
  case SIGFPE: return "arithmetic fault";
  case SIGILL: return "illegal instruction";
  case SIGTRAP: return "trap";
  default: return "bus error";
  }
}

/// Whether this thread reads its stack, and where it continues if that crashes in turn.
static _Thread_local volatile sig_atomic_t is_reading_stack;
static _Thread_local sigjmp_buf unreadable_stack;

/// Stores the return addresses of this thread, or of the signal's `context` if that is not NULL. Returns their number:
/// 0 if the stack cannot be read, for example because the code that crashed is no longer mapped.
static int read_stack(void **frames, const void *context) {
  if (sigsetjmp(unreadable_stack, 1) != 0) return 0;
  is_reading_stack = 1;
  const int depth = context ? frames_of(context, frames, depth_limit) : backtrace(frames, depth_limit);
  is_reading_stack = 0;
  return depth;
}

/// Finds the owner and the location. A return address is the instruction after the call, except in the
/// innermost function.
static void describe(record *it, void *const *frames, int depth, const void *exact) {
  it->fault.owner = it->owner;
  it->fault.deed = it->deed;
  it->fault.place = it->place;
  it->fault.library = it->library;
  it->fault.plugin = it->plugin;
  const name *found = name_of_subject(it->fault.subject);
  if (!found) found = name_of_frames(frames, depth);
  if (found) snprintf(it->owner, sizeof it->owner, "%s", found->owner);
  const char *library = found ? found->library : "";
  snprintf(it->plugin, sizeof it->plugin, "%s", library);
  const int frame = place_name(it->place, sizeof it->place, frames, depth, library);
  if (frame < 0) return;
  place_source(frames[frame], frames[frame] == exact, library, it->library, sizeof it->library, &it->fault.offset);
}

/// Prints what is known to standard error.
static void speak(void) {
  char text[2048];
  const int length =
      snprintf(text, sizeof text, "%soutboard: %s %s%s%s, and ended the program with it.\n",
               isatty(STDERR_FILENO) ? "\r\033[K" : "",
               first.owner[0]   ? first.owner
               : first.place[0] ? "A library"
                                : "The program itself",
               first.deed, first.place[0] ? " at " : "", first.place);
  if (length > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof text)) < 0) return;
}

// MARK: - Reporting

bool faults_are_reported(void) {
  return atomic_load_explicit(&host, memory_order_relaxed) == getpid();
}

/// Waits until the report has reached a stage; returns false after the timeout.
static bool wait_for(int least, int milliseconds) {
  for (; atomic_load(&progress) < least; milliseconds--) {
    if (milliseconds == 0) return false;
    rest();
  }
  return true;
}

/// Returns whether this thread is the first at fault. A further one reports nothing, and must not end the
/// process during the first report.
static bool claim(void) {
  pid_t none = 0;
  if (atomic_compare_exchange_strong(&culprit, &none, own_number())) return true;
  if (none == own_number()) return false;
  wait_for(DONE, taking_milliseconds + telling_milliseconds);
  for (;;) pause();
}

void faults_wait(void) {
  const pid_t other = atomic_load(&culprit);
  if (!faults_are_reported() || other == 0 || other == own_number()) return;
  wait_for(DONE, taking_milliseconds + telling_milliseconds);
  // Now the faulty thread ends the process, with its status.
  for (int i = 0; i < taking_milliseconds; i++) rest();
}

static void report(int number, const char *deed, void *const *frames, int depth, const void *exact) {
  first.fault = (crts_fault){
      .signal = number, .thread = own_number(), .subject = crealtime_own_work.subject};
  snprintf(first.deed, sizeof first.deed, "%s", deed);
  describe(&first, frames, depth, exact);
  // A call that the host did not make is a plugin's, even if no frame belongs to one.
  if (number == 0 && !first.owner[0] && !first.place[0])
    name_suspects(first.owner, sizeof first.owner);
  atomic_store(&progress, DESCRIBED);
  syscall(SYS_futex, &progress, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  if (!atomic_load(&is_awaited) || !wait_for(TAKEN, taking_milliseconds)) {
    int described = DESCRIBED;
    if (atomic_compare_exchange_strong(&progress, &described, SPOKEN)) return speak();
  }
  if (wait_for(SPOKEN, telling_milliseconds)) {
    wait_for(DONE, telling_milliseconds);
  } else {
    speak();
  }
}

void faults_tell(int number, const char *deed, const void *address) {
  if (!claim()) return;
  void *frames[depth_limit];
  const int depth = read_stack(frames, NULL);
  report(number, deed, frames, depth, address);
}

bool faults_have_foreign_caller(void) {
  void *frames[depth_limit];
  const int depth = backtrace(frames, depth_limit);
  char place[256];
  return place_name(place, sizeof place, frames, depth, "") >= 0;
}

// MARK: - Examining a thread that hangs

static _Atomic(pid_t) probed;
static void *probed_frames[depth_limit];
static _Atomic(int) probed_depth;
static const void *_Atomic probed_instruction;

/// Returns whether the signal only requests the location of the thread.
static bool answer_probe(int number, const siginfo_t *info, const void *context) {
  if (number != SIGTRAP || info->si_code != SI_TKILL || info->si_pid != getpid() ||
      atomic_load(&probed) != own_number())
    return false;
  const int error = errno;
  atomic_store(&probed_instruction, instruction_of(context));
  atomic_store(&probed_depth, backtrace(probed_frames, depth_limit));
  errno = error;
  return true;
}

/// Holds this thread until the process ends, which is next.
///
/// A call such as `poll` returns after a signal. Then a hanging thread would go on, and could end the work without
/// an error before the fault is reported.
static void hold(void) {
  for (;;) syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

crts_fault crts_look_at_thread(int32_t thread, const void *subject) {
  hung = (record){.fault = {.thread = thread, .subject = subject}};
  atomic_store(&probed_depth, 0);
  atomic_store(&probed, thread);
  if (thread != 0 && faults_are_reported() && syscall(SYS_tgkill, getpid(), thread, SIGTRAP) == 0) {
    for (int i = 0; i < 200 && atomic_load(&probed_depth) == 0; i++) rest();
  }
  atomic_store(&probed, 0);
  describe(&hung, probed_frames, atomic_load(&probed_depth), atomic_load(&probed_instruction));
  if (thread == 0 && !hung.owner[0]) name_suspects(hung.owner, sizeof hung.owner);
  return hung.fault;
}

// MARK: - Handling

static void take_crash(int number, siginfo_t *info, void *context) {
  if (answer_probe(number, info, context)) hold();
  if (is_reading_stack) {
    is_reading_stack = 0;
    siglongjmp(unreadable_stack, 1);
  }
  if (faults_are_reported() && claim()) {
    void *frames[depth_limit];
    char deed[128];
    const int depth = read_stack(frames, context);
    snprintf(deed, sizeof deed, "crashed (signal %d, %s)", number, name_of(number));
    report(number, deed, frames, depth, instruction_of(context));
  }
  // An instruction that faults will fault again and end the process; a signal that was sent will not.
  handlers_set_default(number);
  if (info->si_code <= 0 || number == SIGTRAP) raise(number);
}

void crts_tell_of_faults(void) {
  atomic_store(&host, getpid());
  handle_crashes(take_crash, false);
  // A file that exceeds the size limit is an error of the write, not the end of the process.
  signal(SIGXFSZ, SIG_IGN);
  faults_tell_of_ends();
}

void crts_await_faults(void) { atomic_store(&is_awaited, true); }

void crts_wait_for_fault(unsigned milliseconds) {
  const struct timespec time = {.tv_sec = milliseconds / 1000,
                                .tv_nsec = (long)(milliseconds % 1000) * 1000000};
  syscall(SYS_futex, &progress, FUTEX_WAIT_PRIVATE, UNDESCRIBED, &time, NULL, 0);
}

const crts_fault *crts_take_fault(void) {
  int described = DESCRIBED;
  return atomic_compare_exchange_strong(&progress, &described, TAKEN) ? &first.fault : NULL;
}

void crts_note_spoken(void) {
  int taken = TAKEN;
  atomic_compare_exchange_strong(&progress, &taken, SPOKEN);
}

void crts_end_fault(void) { atomic_store(&progress, DONE); }
