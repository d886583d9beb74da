// violation_log.h: who did what, how often; and whether the calling thread is being watched.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "crealtimesafety.h"

/// Whether this thread is between `crts_enter` and `crts_exit`.
extern __thread bool ledger_is_watching __attribute__((tls_model("initial-exec")));

/// What the kernel looks at before each system call of this thread: 0 lets it pass.
extern __thread volatile char ledger_selector __attribute__((tls_model("initial-exec")));

/// Writes an offence down. `what` is compared by address, `number` tells system calls apart.
void ledger_add(crts_kind kind, const char *what, long number);

/// Whether what the host itself does counts too.
extern bool ledger_includes_host;

/// Adds what the kernel says of a part of a block, by whichever thread.
void ledger_add_usage(unsigned long waits, unsigned long preemptions, unsigned long faults);

/// Goes on to the next block.
void ledger_end_block(void);

/// Remembers whose frames are looked for.
void ledger_begin(const char *library);
