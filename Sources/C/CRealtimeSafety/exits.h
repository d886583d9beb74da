// exits.h: calls by which plugin code ends the program. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

/// The return address of the current function.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/// Returns whether faults are reported, and a call is the plugin's: its thread executes plugin code, or the
/// return address `caller` is not in this program.
bool exits_are_foreign(const void *caller);

/// Reports that a function was called with a status, and ends the process.
void exits_tell(const char *function, int status);

/// Reports that a function was called which replaces the program, and ends the process.
void programs_tell(const char *function);

/// Returns whether plugin code, which returns to `caller`, wants to change how a crash signal is handled.
bool handlers_refuse(int number, const void *caller);

/// Removes the handler of a signal, for this program.
void handlers_set_default(int number);

/// Makes a system call with the C library, without the check for plugin code.
long exits_call(long number, long a, long b, long c, long d, long e, long f);
