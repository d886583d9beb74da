// handler.h: signal handlers for crashes. SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <stdbool.h>

/// The signals of a crash.
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTRAP};
enum { crash_signal_count = sizeof crash_signals / sizeof *crash_signals };

/// Returns the address of the instruction that a signal interrupted; NULL if unknown.
const void *instruction_of(const void *context);

/// Stores the return addresses of the interrupted thread, the innermost first. Returns their number.
///
/// After a call of an address that has no code, such as a null function pointer, `backtrace` finds no caller. The
/// caller is added then: its return address is still at the top of the stack.
int frames_of(const void *context, void **frames, int limit);

/// Installs `take` for the signals of a crash, on a separate signal stack; once for each signal if `is_once`.
/// [main]
///
/// If it returns and no handler is left, the fault happens again and ends the process.
void handle_crashes(void (*take)(int number, siginfo_t *info, void *context), bool is_once);
