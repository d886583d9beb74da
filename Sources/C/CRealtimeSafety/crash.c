// crash.c: the crash report of a helper process. SPDX-License-Identifier: MIT
//
// A signal handler may call few functions. This one takes a backtrace and queries the loader for names,
// because the process ends anyway. If it hangs, an alarm ends it: the important part was sent before.
#define _GNU_SOURCE
#include "crealtimesafety.h"

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "handler.h"
#include "symbolizer.h"

enum { depth_limit = 48, stack_bytes = 1 << 17, timeout_seconds = 2 };

static int report_socket;
static uint8_t report_kind;
static const char *report_library;

static char *put_number(char *to, uint32_t number) {
  for (int i = 0; i < 4; i++) *to++ = (char)(number >> (8 * i));
  return to;
}

static void report(int number, const char *text) {
  char message[4608];
  size_t length = strlen(text);
  if (length > sizeof message - 16) length = sizeof message - 16;
  char *end = put_number(message, (uint32_t)(1 + 4 + 4 + length));
  *end++ = (char)report_kind;
  end = put_number(end, (uint32_t)number);
  end = put_number(end, (uint32_t)length);
  memcpy(end, text, length);
  send(report_socket, message, (size_t)(end - message) + length, MSG_NOSIGNAL);
}

const void *instruction_of(const void *context) {
#if defined(__x86_64__)
  return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return NULL;
#endif
}

/// Returns the return address of the innermost call if the called function has not yet changed the stack; NULL if
/// unknown.
static void *caller_of(const void *context) {
#if defined(__x86_64__)
  return *(void **)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  return (void *)((const ucontext_t *)context)->uc_mcontext.regs[30];
#else
  (void)context;
  return NULL;
#endif
}

int frames_of(const void *context, void **frames, int limit) {
  const int depth = backtrace(frames, limit);
  unsigned long offset;
  if (depth == limit || place_file(instruction_of(context), &offset)) return depth;
  frames[depth] = caller_of(context);
  return depth + 1;
}

/// Sends the signal, then the location: its name, the file with its source line, and the offset in that, one per line.
///
/// Returns to the faulting instruction. The handler was removed, so the second fault ends the process.
static void take_crash(int number, siginfo_t *info, void *context) {
  (void)info;
  report(number, "");
  alarm(timeout_seconds);
  void *frames[depth_limit];
  char place[256], file[4096], text[sizeof place + sizeof file + 32];
  unsigned long offset = 0;
  const int depth = frames_of(context, frames, depth_limit);
  const int frame = place_name(place, sizeof place, frames, depth, report_library);
  if (frame < 0) return;
  place_source(frames[frame], frames[frame] == instruction_of(context), report_library, file, sizeof file, &offset);
  snprintf(text, sizeof text, "%s\n%s\n%lu", place, file, offset);
  report(number, text);
}

void handle_crashes(void (*take)(int number, siginfo_t *info, void *context), bool is_once) {
  // The first backtrace loads a library, which must not happen during a crash.
  void *frames[depth_limit];
  backtrace(frames, depth_limit);
  const stack_t stack = {.ss_sp = malloc(stack_bytes), .ss_size = stack_bytes};
  // After a stack overflow, the stack has no room for a handler.
  if (stack.ss_sp) sigaltstack(&stack, NULL);
  const struct sigaction action = {
      .sa_sigaction = take,
      // A handler that stays installed may crash while it reads the stack, and then handles that signal, too.
      .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESTART | (is_once ? SA_RESETHAND : SA_NODEFER))};
  for (size_t i = 0; i < crash_signal_count; i++) sigaction(crash_signals[i], &action, NULL);
}

void crts_report_crashes(int socket, uint8_t kind, const char *library) {
  report_socket = socket;
  report_kind = kind;
  report_library = library;
  handle_crashes(take_crash, true);
}
