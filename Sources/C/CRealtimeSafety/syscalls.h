// syscalls.h: monitors every system call of a thread. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

/// Turns the kernel's dispatch on for this thread; returns false if it is not supported. It is inactive until
/// `ledger_selector` is set.
bool calls_begin(void);

/// Turns the dispatch on for a further thread, after `calls_begin` was successful. The first call allocates
/// nothing.
bool calls_begin_thread(void);
