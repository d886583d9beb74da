// violation_log.h: records violations, and whether the calling thread is monitored.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "crealtimesafety.h"

/// Whether this thread is between `crts_enter` and `crts_exit`.
extern __thread bool ledger_is_watching __attribute__((tls_model("initial-exec")));

/// Read by the kernel before each system call of this thread: 0 permits the call.
extern __thread volatile char ledger_selector __attribute__((tls_model("initial-exec")));

/// Records a violation. `what` is compared by address, `number` identifies a system call.
void ledger_add(crts_kind kind, const char *what, long number);

/// Whether violations of the host are recorded, too.
extern bool ledger_includes_host;

/// Adds the kernel's counters for a part of a block, from any thread.
void ledger_add_usage(unsigned long waits, unsigned long preemptions, unsigned long faults);

/// Begins the next block.
void ledger_end_block(void);

/// Sets the library whose frames are searched.
void ledger_begin(const char *library);
