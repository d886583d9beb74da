// cwork.h: which node each rendering thread is at work on. SPDX-License-Identifier: MIT
//
// A thread stores the context of each step before it calls it: one instruction for a node. Another thread reads that, so
// that a node which never returns, or ends its thread, can be named.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What a thread is at work on.
typedef struct crealtime_work {
  /// The context of the step under way; NULL between steps.
  const void *_Nullable subject;
  /// How many rows of steps have ended: the same step in the next block has another number.
  uint64_t turn;
} crealtime_work;

/// The calling thread's own.
extern __thread crealtime_work crealtime_own_work __attribute__((tls_model("initial-exec")));

/// Notes the step that is about to be called.
static inline void crealtime_begin_work(const void *_Nullable subject) {
  __atomic_store_n(&crealtime_own_work.subject, subject, __ATOMIC_RELAXED);
}

/// Notes that no step is under way.
static inline void crealtime_end_work(void) {
  __atomic_store_n(&crealtime_own_work.subject, (const void *)0, __ATOMIC_RELAXED);
  __atomic_store_n(&crealtime_own_work.turn, crealtime_own_work.turn + 1, __ATOMIC_RELAXED);
}

/// What is known of a thread that renders.
typedef struct crealtime_thread {
  /// The kernel's number of it.
  int32_t number;
  /// Whether it has ended, though a step was under way.
  bool has_ended;
  /// Whether it runs, or waits only for a processor; false while it sleeps.
  bool is_running;
  /// Whether a debugger has stopped it.
  bool is_stopped;
  /// Time that it has had a processor, in nanoseconds.
  uint64_t processor_nanoseconds;
  crealtime_work work;
} crealtime_thread;

/// Registers the calling thread until it ends, and gives it a stack for the handlers of crashes, which its own has no
/// room for once it has overflowed. Without effect where that was done before. [render, at the start of the thread]
void crealtime_begin_thread(void);

/// Copies what is known of the registered thread at a position; false past the last. A position that is not in use
/// gives the number 0. [any one thread]
bool crealtime_thread_at(uint32_t position, crealtime_thread *_Nonnull thread);

/// Takes the priority of real-time scheduling from a thread of this process. [any]
void crealtime_calm_thread(int32_t number);

/// Starts a thread that registers itself, and then calls `entry`; 0 or an errno value. [any but render]
///
/// The first two are a `pthread_t` and a `pthread_attr_t`.
int crealtime_start_thread(unsigned long *_Nonnull thread, const void *_Nullable attributes,
                           void *_Nullable (*_Nonnull entry)(void *_Nullable),
                           void *_Nullable context);
