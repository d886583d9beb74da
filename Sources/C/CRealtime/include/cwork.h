// cwork.h: the plugin code that each thread executes. SPDX-License-Identifier: MIT
//
// A thread stores the context of each step before it calls it: one instruction per node. Another thread reads
// it to name a node that hangs or ends its thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The current step of a thread.
typedef struct crealtime_work {
  /// The context of the current step; NULL between steps.
  const void *_Nullable subject;
  /// The number of completed step sequences: the same step in the next block has another number.
  uint64_t turn;
  /// Whether the subject is a call outside of rendering, and not the context of a step.
  bool is_call;
} crealtime_work;

/// The current step of the calling thread.
extern __thread crealtime_work crealtime_own_work __attribute__((tls_model("initial-exec")));

/// The record of the end of a thread or of the program, in which destructors of plugins run.
extern const char crealtime_end_record;

/// Whether this process is a copy that a step or call has made with `fork`.
extern bool crealtime_is_copy;

/// Ends the copy, which would render, read and write a second time what its parent does. Does not return.
void crealtime_end_copy(void);

/// Records the step that is about to be called.
static inline void crealtime_begin_work(const void *_Nullable subject) {
  __atomic_store_n(&crealtime_own_work.subject, subject, __ATOMIC_RELAXED);
}

/// Records that no step is running.
static inline void crealtime_end_work(void) {
  if (__builtin_expect(crealtime_is_copy, 0)) crealtime_end_copy();
  __atomic_store_n(&crealtime_own_work.subject, (const void *)0, __ATOMIC_RELAXED);
  __atomic_store_n(&crealtime_own_work.turn, crealtime_own_work.turn + 1, __ATOMIC_RELAXED);
}

/// Notes a call into a plugin outside of rendering, by its record. [any, never render]
///
/// - Returns: the call recorded before, for `crealtime_end_call`.
static inline crealtime_work crealtime_begin_call(const void *_Nonnull subject) {
  const crealtime_work outer = crealtime_own_work;
  __atomic_store_n(&crealtime_own_work.is_call, true, __ATOMIC_RELAXED);
  crealtime_begin_work(subject);
  return outer;
}

/// Notes the end of that call. [any, never render]
static inline void crealtime_end_call(crealtime_work outer) {
  crealtime_end_work();
  __atomic_store_n(&crealtime_own_work.is_call, outer.is_call, __ATOMIC_RELAXED);
  crealtime_begin_work(outer.subject);
}

/// The state of a registered thread.
typedef struct crealtime_thread {
  /// The kernel's thread id.
  int32_t number;
  /// Whether the thread ended during a step, or was ended by the kernel.
  bool has_ended;
  /// Whether the thread is running or ready to run; false while it sleeps.
  bool is_running;
  /// Whether a debugger has stopped it.
  bool is_stopped;
  /// The CPU time of the thread, in nanoseconds.
  uint64_t processor_nanoseconds;
  crealtime_work work;
} crealtime_thread;

/// Registers the calling thread until it ends, and creates a signal stack for crash handlers, which also
/// works after a stack overflow. A second call has no effect. [any]
void crealtime_begin_thread(void);

/// Copies the state of the registered thread at a position; returns false after the last one. An unused
/// position has the thread id 0. [any one thread]
bool crealtime_thread_at(uint32_t position, crealtime_thread *_Nonnull thread);

/// Removes the real-time scheduling of a thread of this process. [any]
void crealtime_calm_thread(int32_t number);

/// Starts a thread that registers itself and then calls `entry`. Returns 0 or an errno value. [any but
/// render]
///
/// The first two parameters are a `pthread_t` and a `pthread_attr_t`.
int crealtime_start_thread(unsigned long *_Nonnull thread, const void *_Nullable attributes,
                           void *_Nullable (*_Nonnull entry)(void *_Nullable),
                           void *_Nullable context);
