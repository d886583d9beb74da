// faults.h: what foreign code did that ends this process. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

#include "crealtimesafety.h"

/// Whether this process reports faults; false in a process that it has forked.
bool faults_are_told(void);

/// Has the calling thread tell of a fault that is called `deed`, and wait until that is done; the caller ends the
/// process then. `address` is where it happened, NULL for the place where this was called from.
void faults_tell(int signal, const char *deed, const void *address);

/// Whether any of the functions that called the present one belongs neither to this program nor to the C library.
bool faults_have_foreign_caller(void);

/// Has what the C library ends by itself told of, too. [main]
void faults_tell_of_ends(void);

/// Waits while another thread reports a fault and ends the process.
void faults_wait(void);
