// exits.h: calls by which foreign code ends the program. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

/// Where the present function returns to.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/// Whether faults are reported, and a function was called by neither this program nor the C library.
bool exits_are_foreign(const void *caller);

/// Reports that a function was called with a status, and ends the process.
void exits_tell(const char *function, int status);

/// Reports that a function was called which replaces the program, and ends the process.
void programs_tell(const char *function);

/// Makes a system call by the C library, unseen by the functions that look for foreign ones.
long exits_call(long number, long a, long b, long c, long d, long e, long f);
