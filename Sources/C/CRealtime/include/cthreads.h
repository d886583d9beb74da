// cthreads.h: how render threads wait for each other. SPDX-License-Identifier: MIT
#pragma once

#include "crealtime.h"

/// Informs the processor that the thread is in a spin loop.
CREALTIME_SAFE static inline void crealtime_pause(void) {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Sleeps while `*word` is `expected`, until it is woken; may return without reason. A system call, to be
/// made outside of `crealtime_enter` and `crealtime_exit`. [any]
CREALTIME_SAFE void crealtime_wait(const void *_Nonnull word, uint32_t expected);

/// Wakes up to `count` threads that sleep on `word`. A system call, with the same restriction. [any]
CREALTIME_SAFE void crealtime_wake(const void *_Nonnull word, uint32_t count);

/// Returns the number of processors that this process may use, at least 1. [any]
uint32_t crealtime_processor_count(void);

/// Separates the working directory and file mode mask of the calling thread from those of other threads, so
/// that a plugin changes them for that thread only. [a render thread, at its start]
void crealtime_separate_directory(void);
