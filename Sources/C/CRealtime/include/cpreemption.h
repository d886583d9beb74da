// cpreemption.h: whether a thread had the processor to itself for a while. SPDX-License-Identifier: MIT
#pragma once

#include "crealtime.h"

/// Begins to look whether this thread is interrupted: taken off its processor, or given a signal.
///
/// No system call: the kernel itself clears a mark in the thread's memory that says it was in a restartable
/// sequence, once it lets the thread go on elsewhere. Two stores. [any]
CREALTIME_SAFE void crealtime_clear_preempted(void);

/// Whether it was, since it began to look: by others that had the processor, or as it waited by itself (newer
/// kernels may leave that out). False where nobody can tell. [any]
CREALTIME_SAFE bool crealtime_was_preempted(void);

/// Whether the kernel and the C library can tell at all. [any]
CREALTIME_SAFE bool crealtime_detects_preemption(void);

/// How often this thread has gone to wait by itself since it began: in a sleep, for a lock, for a file. A system call, of
/// a fraction of a microsecond, that neither waits nor is counted or watched. [any]
CREALTIME_SAFE uint64_t crealtime_voluntary_switches(void);
