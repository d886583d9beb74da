// handler.h: what is done when this process crashes. SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <stdbool.h>

/// Has `take` called by a signal that a crash brings, on a stack of its own; once for each where `is_once`. [main]
///
/// When it returns, and nobody takes the signal any more, it happens once more and ends the process.
void handle_crashes(void (*take)(int number, siginfo_t *info, void *context), bool is_once);
