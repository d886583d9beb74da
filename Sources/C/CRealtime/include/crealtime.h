// crealtime.h: C functions for the audio thread.
// SPDX-License-Identifier: MIT
//
// Everything here may be called from a Swift function marked `@_noLocks`: it does not allocate, lock, wait or
// make system calls, except where the comment says "[main]".
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cwork.h"

/// Declares to the Swift compiler that a function neither locks nor allocates.
#define CREALTIME_SAFE __attribute__((swift_attr("@_noLocks")))

// MARK: - Steps

/// Renders one block: `buffers` holds a node's inputs first, then its outputs. [render]
typedef void (*crealtime_step_function)(void *_Nonnull context,
                                        float *_Nonnull const *_Nonnull buffers,
                                        uint32_t frame_count);

/// One step of a render sequence. `buffers` points into the sequence and lives as long.
typedef struct crealtime_step {
  crealtime_step_function _Nonnull function;
  void *_Nonnull context;
  float *_Nonnull const *_Nonnull buffers;
} crealtime_step;

/// Calls a step from another one; Swift cannot call a function pointer under `@_noLocks`. [render]
CREALTIME_SAFE static inline void crealtime_call_step(const crealtime_step *_Nonnull step,
                                                      uint32_t frame_count) {
  step->function(step->context, step->buffers, frame_count);
}

// MARK: - Events

/// Passes one event, a complete MIDI message, to a node. It takes effect `frame` frames after the start of
/// the next block. `bytes` are valid during the call. [render]
typedef void (*crealtime_event_function)(void *_Nonnull context, uint32_t frame,
                                         const uint8_t *_Nonnull bytes, uint32_t byte_count);

/// Calls an event function; Swift cannot call a function pointer under `@_noLocks`.
CREALTIME_SAFE static inline void crealtime_send_event(
    crealtime_event_function _Nonnull function, void *_Nonnull context, uint32_t frame,
    const uint8_t *_Nonnull bytes, uint32_t byte_count) {
  function(context, frame, bytes, byte_count);
}

// MARK: - Parameters

/// Sets a parameter, given its index, to a legal value for the next block: a jump, which the node may smooth,
/// or a stair of a ramp. [render]
typedef void (*crealtime_parameter_function)(void *_Nonnull context, uint32_t index, float value,
                                             bool is_jump);

/// Calls a parameter function; Swift cannot call a function pointer under `@_noLocks`.
CREALTIME_SAFE static inline void crealtime_set_parameter(
    crealtime_parameter_function _Nonnull function, void *_Nonnull context, uint32_t index,
    float value, bool is_jump) {
  function(context, index, value, is_jump);
}

/// Returns the value of a parameter that was set last, given its index. [render]
typedef float (*crealtime_value_function)(void *_Nonnull context, uint32_t index);

/// Calls a value function; Swift cannot call a function pointer under `@_noLocks`.
CREALTIME_SAFE static inline float crealtime_stored_value(crealtime_value_function _Nonnull function,
                                                          void *_Nonnull context, uint32_t index) {
  return function(context, index);
}

// MARK: - Numbers

/// Functions of the C library that Swift does not offer under `@_noLocks`.
CREALTIME_SAFE static inline double crealtime_exp(double value) { return exp(value); }
CREALTIME_SAFE static inline float crealtime_pow(float base, float exponent) {
  return powf(base, exponent);
}
CREALTIME_SAFE static inline float crealtime_sin(float angle) { return sinf(angle); }

// MARK: - Memory

/// memset and memcpy, which Swift does not offer under `@_noLocks`.
CREALTIME_SAFE static inline void crealtime_zero(float *_Nonnull samples, uint32_t count) {
  memset(samples, 0, count * sizeof *samples);
}

CREALTIME_SAFE static inline void crealtime_copy(float *_Nonnull to, const float *_Nonnull from,
                                                 uint32_t count) {
  memcpy(to, from, count * sizeof *to);
}

CREALTIME_SAFE static inline void crealtime_move(float *_Nonnull to, const float *_Nonnull from,
                                                 uint32_t count) {
  memmove(to, from, count * sizeof *to);
}

// MARK: - The real-time sanitizer

/// Defined by the sanitizer's runtime or by a preloaded counter; NULL otherwise.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

/// Called at the start and end of the render path. They do nothing in an ordinary build. A build linked with
/// `-fsanitize=realtime`, or a preloaded counter that defines the two hooks, monitors the code in between.
CREALTIME_SAFE static inline void crealtime_enter(void) {
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

CREALTIME_SAFE static inline void crealtime_exit(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

// MARK: - Observing blocks

/// Called at the start and end of a block, if it is observed. The second pair encloses the work of other
/// threads for the block, and what the same thread does after it has waited for them.
typedef struct crealtime_observer {
  void (*_Nonnull enter)(void);
  void (*_Nonnull exit)(void);
  void (*_Nonnull join)(void);
  void (*_Nonnull leave)(void);
} crealtime_observer;

/// Calls the observer at the start or end of a block. [render]
CREALTIME_SAFE static inline void crealtime_observe_enter(const crealtime_observer *_Nonnull observer) {
  observer->enter();
}

CREALTIME_SAFE static inline void crealtime_observe_exit(const crealtime_observer *_Nonnull observer) {
  observer->exit();
}

/// Calls the observer at the start or end of a part of a block. [render, any of its threads]
CREALTIME_SAFE static inline void crealtime_observe_join(const crealtime_observer *_Nonnull observer) {
  observer->join();
}

CREALTIME_SAFE static inline void crealtime_observe_leave(const crealtime_observer *_Nonnull observer) {
  observer->leave();
}

// MARK: - Rendering for drivers

/// Renders one block of `frame_count` frames from the input to the output buffers, which the driver received
/// together with this function. `started` is the current time on CLOCK_MONOTONIC in nanoseconds. [render]
typedef void (*crealtime_render_function)(void *_Nonnull context, uint32_t frame_count,
                                          uint64_t started);

/// The function that a driver calls for each block, with its context.
typedef struct crealtime_render_callback {
  crealtime_render_function _Nonnull function;
  void *_Nonnull context;
} crealtime_render_callback;

/// Calls a render callback; Swift cannot call a function pointer under `@_noLocks`. [render]
CREALTIME_SAFE static inline void crealtime_render(crealtime_render_callback callback,
                                                   uint32_t frame_count, uint64_t started) {
  callback.function(callback.context, frame_count, started);
}

// MARK: - Calls that may hang

/// Watches a thread during calls that may hang, such as those of a sound server's library after the server
/// was killed.
///
/// Another thread can abandon the thread while it is inside such a call. The abandoned thread never continues
/// after the call, even if the call returns. All its data belongs to the other thread, except data that the
/// call itself uses.
typedef struct crealtime_call_watchdog crealtime_call_watchdog;

/// Creates a watchdog for one thread; the process ends if there is no memory for it. [main]
crealtime_call_watchdog *_Nonnull crealtime_watch_create(void);

/// Frees a watchdog: the thread has ended, or it was abandoned and its call is over. [main]
void crealtime_watch_free(crealtime_call_watchdog *_Nonnull watch);

/// Assigns a watchdog to the calling thread. [render, at the start]
CREALTIME_SAFE void crealtime_watch_begin(crealtime_call_watchdog *_Nullable watch);

/// Called before and after one call on behalf of `subject`; without effect on a thread without a watchdog.
/// The second function does not return on a thread that was abandoned meanwhile. [render]
CREALTIME_SAFE void crealtime_call_begin(const void *_Nonnull subject);
CREALTIME_SAFE void crealtime_call_end(void);

/// Returns the number and the subject of the call that the thread is in; 0 outside of any. [main]
uint64_t crealtime_watch_call(const crealtime_call_watchdog *_Nonnull watch,
                              const void *_Nullable *_Nonnull subject);

/// Abandons the thread if it is still in that call; returns whether it was. [main]
bool crealtime_watch_cut_off(crealtime_call_watchdog *_Nonnull watch, uint64_t call);

/// Returns whether the call of an abandoned thread is over, so that the data of the call can be freed. [main]
bool crealtime_watch_is_over(const crealtime_call_watchdog *_Nonnull watch);

// MARK: - Clock and scheduling

/// Returns CLOCK_MONOTONIC in nanoseconds, through the vDSO: no system call, hence marked safe.
CREALTIME_SAFE uint64_t crealtime_nanoseconds(void);

/// Sleeps until a time on CLOCK_MONOTONIC, in nanoseconds, or until a signal. For a driver's thread between
/// two blocks, never within one; hence marked safe. [render, between blocks]
CREALTIME_SAFE void crealtime_sleep_until(uint64_t nanoseconds);

/// Sleeps in the middle of a block that no device waits for, as in offline rendering. The sleep is intended,
/// so it is excluded from observation. [render, offline only]
CREALTIME_SAFE static inline void crealtime_sleep_for(uint64_t nanoseconds) {
  // The thread waits for the disk, not for a node that hangs.
  const void *subject = crealtime_own_work.subject;
  crealtime_end_work();
  crealtime_exit();
  crealtime_sleep_until(crealtime_nanoseconds() + nanoseconds);
  crealtime_enter();
  crealtime_begin_work(subject);
}

/// Requests SCHED_FIFO at `priority` for the calling thread. Returns 0 or an errno value. [any, before
/// render]
int crealtime_set_fifo_priority(int priority);

/// Locks all present and future memory of the process. Returns 0 or an errno value. [main]
int crealtime_lock_memory(void);

// MARK: - Timers

/// Creates a kernel timer that expires once after it is set. Returns -1 on failure. [main]
int crealtime_timer_open(void);

/// Sets or restarts the timer, to expire after `nanoseconds`, at least 1: a system call. [main]
void crealtime_timer_set(int timer, uint64_t nanoseconds);

/// Sleeps until the timer expires, without waking up when it is restarted. Returns false if there is no such
/// timer. [a dedicated thread]
bool crealtime_timer_wait(int timer);

/// Closes the timer. [main]
void crealtime_timer_close(int timer);

#include "cfloating.h"
#include "cpreemption.h"
#include "cthreads.h"
