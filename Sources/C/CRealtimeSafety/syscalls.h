// syscalls.h: every system call of the watched thread. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

/// Turns the kernel's dispatch on for this thread; false where there is none. It stays quiet until
/// `ledger_selector` is set.
bool calls_begin(void);

/// The same for a further thread, once that was true; its first call allocates nothing.
bool calls_begin_thread(void);
