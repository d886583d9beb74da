// cpreemption.h: detects whether a thread was interrupted. SPDX-License-Identifier: MIT
#pragma once

#include "crealtime.h"

/// Starts to detect whether this thread is preempted or receives a signal.
///
/// No system call: the kernel clears a mark in the thread's memory when it resumes the thread (see
/// cpreemption.c). Two stores. [any]
CREALTIME_SAFE void crealtime_clear_preempted(void);

/// Returns whether the thread was interrupted since then: by other threads, or because it waited (newer
/// kernels may not count that). False if it cannot be detected. [any]
CREALTIME_SAFE bool crealtime_was_preempted(void);

/// Returns whether the kernel and the C library support the detection. [any]
CREALTIME_SAFE bool crealtime_detects_preemption(void);

/// Returns how often this thread has waited voluntarily since it began: in a sleep, for a lock, for a file.
/// This system call takes a fraction of a microsecond, does not wait, and is excluded from observation. [any]
CREALTIME_SAFE uint64_t crealtime_voluntary_switches(void);
