// faults.h: reports plugin faults that end this process. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

#include "crealtimesafety.h"

/// Returns whether this process reports faults; false in a process that it has forked.
bool faults_are_reported(void);

/// Reports a fault of the calling thread, described by `deed`, and waits until that is done. The caller then
/// ends the process. `address` is the location of the fault, NULL for the caller's.
void faults_tell(int signal, const char *deed, const void *address);

/// Returns whether one of the callers of the current function belongs neither to this program nor to the C
/// library.
bool faults_have_foreign_caller(void);

/// Also reports ends by the C library itself. [main]
void faults_tell_of_ends(void);

/// Waits while another thread reports a fault and ends the process.
void faults_wait(void);
