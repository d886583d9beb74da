// crealtime.h: the C that runs on the audio thread, and the marks that keep it honest.
// SPDX-License-Identifier: MIT
//
// Everything here may be called from a Swift function marked `@_noLocks`: it does not allocate,
// lock, wait or enter the kernel, except where the comment says "[main]".
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cwork.h"

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CREALTIME_SAFE __attribute__((swift_attr("@_noLocks")))

// MARK: - Steps

/// Renders one block: `buffers` holds a node's inputs first, then its outputs. [render]
typedef void (*crealtime_step_function)(void *_Nonnull context,
                                        float *_Nonnull const *_Nonnull buffers,
                                        uint32_t frame_count);

/// One step of a program. `buffers` points into the program and lives as long.
typedef struct crealtime_step {
  crealtime_step_function _Nonnull function;
  void *_Nonnull context;
  float *_Nonnull const *_Nonnull buffers;
} crealtime_step;

/// Calls a step within another one, as Swift cannot see through a pointer. [render]
CREALTIME_SAFE static inline void crealtime_call_step(const crealtime_step *_Nonnull step,
                                                      uint32_t frame_count) {
  step->function(step->context, step->buffers, frame_count);
}

// MARK: - Events

/// Hands one event, a whole MIDI message, to a node: it takes effect `frame` frames after the start
/// of the block that is rendered next. `bytes` are valid during the call. [render]
typedef void (*crealtime_event_function)(void *_Nonnull context, uint32_t frame,
                                         const uint8_t *_Nonnull bytes, uint32_t byte_count);

/// Calls an event function, as Swift cannot see through a pointer.
CREALTIME_SAFE static inline void crealtime_send_event(
    crealtime_event_function _Nonnull function, void *_Nonnull context, uint32_t frame,
    const uint8_t *_Nonnull bytes, uint32_t byte_count) {
  function(context, frame, bytes, byte_count);
}

// MARK: - Parameters

/// Sets a parameter, by its number, to a legal value for what is rendered next: as a jump, which the node
/// may soften, or as the next of many values that lead somewhere. [render]
typedef void (*crealtime_parameter_function)(void *_Nonnull context, uint32_t index, float value,
                                             bool is_jump);

/// Calls a parameter function, as Swift cannot see through a pointer.
CREALTIME_SAFE static inline void crealtime_set_parameter(
    crealtime_parameter_function _Nonnull function, void *_Nonnull context, uint32_t index,
    float value, bool is_jump) {
  function(context, index, value, is_jump);
}

// MARK: - Numbers

/// Of the C library, which Swift does not offer under `@_noLocks`.
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

/// Given by the sanitizer's runtime or by a preloaded counter; NULL otherwise.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

/// Bracket of the render path. In an ordinary build they do nothing; a build linked with
/// `-fsanitize=realtime`, or a preloaded counter that defines the two hooks, watches what lies
/// between.
CREALTIME_SAFE static inline void crealtime_enter(void) {
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

CREALTIME_SAFE static inline void crealtime_exit(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

// MARK: - Watching blocks

/// What a whole block is bracketed by, where somebody watches what happens in it; and, with the second pair,
/// what other threads do for it, or what the same one goes on with after it has waited for them.
typedef struct crealtime_observer {
  void (*_Nonnull enter)(void);
  void (*_Nonnull exit)(void);
  void (*_Nonnull join)(void);
  void (*_Nonnull leave)(void);
} crealtime_observer;

/// Brackets a block for an observer. [render]
CREALTIME_SAFE static inline void crealtime_observe_enter(const crealtime_observer *_Nonnull observer) {
  observer->enter();
}

CREALTIME_SAFE static inline void crealtime_observe_exit(const crealtime_observer *_Nonnull observer) {
  observer->exit();
}

/// Brackets a part of a block for an observer. [render, any of its threads]
CREALTIME_SAFE static inline void crealtime_observe_join(const crealtime_observer *_Nonnull observer) {
  observer->join();
}

CREALTIME_SAFE static inline void crealtime_observe_leave(const crealtime_observer *_Nonnull observer) {
  observer->leave();
}

// MARK: - Rendering for drivers

/// Renders one block of `frame_count` frames, from the input to the output buffers that the driver was given with it.
/// `started` is the present time on CLOCK_MONOTONIC in nanoseconds. [render]
typedef void (*crealtime_render_function)(void *_Nonnull context, uint32_t frame_count,
                                          uint64_t started);

/// What a driver calls for each block.
typedef struct crealtime_render_callback {
  crealtime_render_function _Nonnull function;
  void *_Nonnull context;
} crealtime_render_callback;

/// Calls a render callback, as Swift cannot see through a pointer. [render]
CREALTIME_SAFE static inline void crealtime_render(crealtime_render_callback callback,
                                                   uint32_t frame_count, uint64_t started) {
  callback.function(callback.context, frame_count, started);
}

// MARK: - Calls that may never come back

/// Sees a thread through calls that may never come back, such as those of a sound server's library
/// whose server was killed.
///
/// Who waits in vain can cut the thread off while it is inside such a call: it then never runs on
/// behind the call, should that come back, and all that it had in hand, but for what the call itself
/// has hold of, belongs to the one who cut it off.
typedef struct crealtime_call_watchdog crealtime_call_watchdog;

/// A watch for one thread; the process ends where there is no memory for it. [main]
crealtime_call_watchdog *_Nonnull crealtime_watch_create(void);

/// Frees it: of a thread that has ended, or that was cut off and whose call is over. [main]
void crealtime_watch_free(crealtime_call_watchdog *_Nonnull watch);

/// Puts the calling thread under a watch. [render, at the start]
CREALTIME_SAFE void crealtime_watch_begin(crealtime_call_watchdog *_Nullable watch);

/// Brackets one call on behalf of `subject`; without effect on a thread that is not watched. The
/// second does not return on a thread that was cut off meanwhile. [render]
CREALTIME_SAFE void crealtime_call_begin(const void *_Nonnull subject);
CREALTIME_SAFE void crealtime_call_end(void);

/// The number of the call that the thread is in, and on whose behalf; 0 outside of any. [main]
uint64_t crealtime_watch_call(const crealtime_call_watchdog *_Nonnull watch,
                              const void *_Nullable *_Nonnull subject);

/// Cuts the thread off if it is in that call still; whether it was. [main]
bool crealtime_watch_cut_off(crealtime_call_watchdog *_Nonnull watch, uint64_t call);

/// Whether the call in which the thread was cut off is over, so that what it had hold of is free. [main]
bool crealtime_watch_is_over(const crealtime_call_watchdog *_Nonnull watch);

// MARK: - Clock and scheduling

/// CLOCK_MONOTONIC in nanoseconds, through the vDSO: no system call. Marked safe for that reason.
CREALTIME_SAFE uint64_t crealtime_nanoseconds(void);

/// Sleeps until that time on CLOCK_MONOTONIC, in nanoseconds, or until a signal. For a driver's
/// thread between two blocks, never within one; marked safe for that reason. [render, between blocks]
CREALTIME_SAFE void crealtime_sleep_until(uint64_t nanoseconds);

/// Waits for so long in the middle of a block that no device waits for, as a file is rendered: outside of what
/// is watched, as it is meant. [render, offline alone]
CREALTIME_SAFE static inline void crealtime_sleep_for(uint64_t nanoseconds) {
  // It is the disk that is waited for, and no node that does not return.
  const void *subject = crealtime_own_work.subject;
  crealtime_end_work();
  crealtime_exit();
  crealtime_sleep_until(crealtime_nanoseconds() + nanoseconds);
  crealtime_enter();
  crealtime_begin_work(subject);
}

/// Asks for SCHED_FIFO at `priority` for the calling thread; 0 or an errno value. [any, before render]
int crealtime_set_fifo_priority(int priority);

/// Locks all present and future memory of the process; 0 or an errno value. [main]
int crealtime_lock_memory(void);

// MARK: - Timers

/// A timer of the kernel's that goes off once, some time after it was last set; -1 where there is none to
/// be had. [main]
int crealtime_timer_open(void);

/// Sets it, or sets it anew, to go off that many nanoseconds from now, at least 1: a system call. [main]
void crealtime_timer_set(int timer, uint64_t nanoseconds);

/// Sleeps until it goes off, however often it is set anew meanwhile, without waking up in between; false
/// where there is no such timer. [a thread that has nothing else to do]
bool crealtime_timer_wait(int timer);

/// Gives it back. [main]
void crealtime_timer_close(int timer);

#include "cfloating.h"
#include "cpreemption.h"
#include "cthreads.h"
