// cthreads.h: how threads that render together wait for each other. SPDX-License-Identifier: MIT
#pragma once

#include "crealtime.h"

/// Tells the processor that the thread looks at the same thing again and again.
CREALTIME_SAFE static inline void crealtime_pause(void) {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Sleeps while `*word` is `expected`, until it is woken or for no reason: a system call, to be made outside of
/// what `crealtime_enter` and `crealtime_exit` bracket. [any]
CREALTIME_SAFE void crealtime_wait(const void *_Nonnull word, uint32_t expected);

/// Wakes up to `count` threads that sleep for `word`: a system call, likewise. [any]
CREALTIME_SAFE void crealtime_wake(const void *_Nonnull word, uint32_t count);

/// How many processors this process may use, at least 1. [any]
uint32_t crealtime_processor_count(void);

/// Gives the calling thread a working directory and a file mode mask that it shares with no other thread, so that a
/// plugin which changes them while it renders changes them for that thread alone. [a thread that renders, at its start]
void crealtime_separate_folder(void);
