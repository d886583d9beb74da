// cfloating.h: sets the floating-point mode of render threads, and detects changes. SPDX-License-Identifier:
// MIT
#pragma once

#include "crealtime.h"

// MARK: - The mode

/// Flush-to-zero and denormals-are-zero, round to nearest, no exceptions.
///
/// On x86 all exception flags are set as well. No instruction clears them, so the whole register can be compared.
#if defined(__x86_64__)
#define CREALTIME_MODE UINT32_C(0x9fff)
#define CREALTIME_MODE_FLAGS UINT32_C(0x3f)
#elif defined(__aarch64__)
#define CREALTIME_MODE (UINT64_C(1) << 24)
#endif

/// Whether the mode of the calling thread is set, between the two functions below. Code that defines
/// CREALTIME_HEADERS_ALONE does not link this library, and runs no steps.
#ifndef CREALTIME_HEADERS_ALONE
extern __thread bool crealtime_is_flushing __attribute__((tls_model("initial-exec")));
#define CREALTIME_NOTE_FLUSHING(is_flushing) (crealtime_is_flushing = (is_flushing))
#else
#define CREALTIME_NOTE_FLUSHING(is_flushing) ((void)0)
#endif

/// Sets flush-to-zero and denormals-are-zero for this thread; returns the previous mode.
///
/// A plugin may change the mode, so it is set at every entry. LLVM assumes the default mode, so the DSP must
/// be behind an opaque call.
CREALTIME_SAFE static inline uint64_t crealtime_flush_denormals(void) {
  CREALTIME_NOTE_FLUSHING(true);
#if defined(__x86_64__)
  unsigned int before = _mm_getcsr();
  _mm_setcsr(CREALTIME_MODE);
  return before;
#elif defined(__aarch64__)
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr, %0" : : "r"(CREALTIME_MODE));
  return before;
#else
  return 0;
#endif
}

/// Restores the mode that `crealtime_flush_denormals` returned.
CREALTIME_SAFE static inline void crealtime_restore_denormals(uint64_t before) {
#if defined(__x86_64__) || defined(__aarch64__)
  CREALTIME_NOTE_FLUSHING(before == CREALTIME_MODE);
#endif
#if defined(__x86_64__)
  _mm_setcsr((unsigned int)before);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
  (void)before;
#endif
}

// MARK: - Changes by plugins

/// Restores the mode, and records that the step changed it. [render]
CREALTIME_SAFE void crealtime_mode_changed(const crealtime_step *_Nonnull step);

/// Restores the x87 control word if it was changed, and records the step; NULL for an unknown one. [render]
CREALTIME_SAFE void crealtime_check_x87(const void *_Nullable context);

/// Whether the x87 control word is checked after every step, because a plugin has changed it before.
extern bool crealtime_checks_x87;

/// Restores the mode if a step changed it: three instructions. [render]
CREALTIME_SAFE static inline void crealtime_check_mode(const crealtime_step *_Nonnull step) {
#if defined(__x86_64__)
  uint32_t mode;
  // The comparison reads memory, which saves one instruction compared with _mm_getcsr.
  __asm__ volatile("stmxcsr %0" : "=m"(mode));
  if (__builtin_expect(mode != CREALTIME_MODE, 0)) crealtime_mode_changed(step);
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  if (__builtin_expect(mode != CREALTIME_MODE, 0)) crealtime_mode_changed(step);
#else
  (void)step;
#endif
}

/// Enables the check of the x87 control word after every step, from the next block on. [any]
void crealtime_begin_checking_x87(void);

/// Returns whether the step with this context changed the mode since the last call. [main]
bool crealtime_take_mode_change(const void *_Nonnull context);

// MARK: - Steps

/// Runs one step of a render sequence, and restores the floating-point mode. [render]
CREALTIME_SAFE static inline void crealtime_run_checked_step(const crealtime_step *_Nonnull step,
                                                             uint32_t frame_count) {
  crealtime_begin_work(step->context);
  step->function(step->context, step->buffers, frame_count);
  crealtime_check_mode(step);
  if (__builtin_expect(crealtime_checks_x87, 0)) crealtime_check_x87(step->context);
  crealtime_end_work();
}

/// Runs a range of steps, and restores the floating-point mode after each. [render]
///
/// During a step, `crealtime_own_work` contains its context.
CREALTIME_SAFE static inline void crealtime_run_steps(const crealtime_step *_Nonnull step,
                                                      const crealtime_step *_Nonnull end,
                                                      uint32_t frame_count) {
  if (__builtin_expect(crealtime_checks_x87, 0)) {
    for (; step != end; step++) crealtime_run_checked_step(step, frame_count);
    return;
  }
  for (; step != end; step++) {
    crealtime_begin_work(step->context);
    step->function(step->context, step->buffers, frame_count);
    crealtime_check_mode(step);
  }
  crealtime_end_work();
}
