// cfloating.c: see cfloating.h. SPDX-License-Identifier: MIT
#include "cfloating.h"

#include <stdatomic.h>

bool crealtime_checks_x87;
__thread bool crealtime_is_flushing;

/// The contexts of steps that changed the mode and were not reported yet; a full table drops further ones.
static _Atomic(const void *) changes[8];

static void record(const void *step) {
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    const void *known = NULL;
    if (atomic_compare_exchange_strong(&changes[i], &known, step) || known == step) return;
  }
}

void crealtime_mode_changed(const crealtime_step *step) {
  // Steps outside of a block use the mode of their thread.
  if (!crealtime_is_flushing) return;
#if defined(__x86_64__)
  const unsigned int mode = _mm_getcsr();
  _mm_setcsr(CREALTIME_MODE);
  // Clearing the exception flags has no effect on other code.
  if ((mode | CREALTIME_MODE_FLAGS) == CREALTIME_MODE) return;
  // An emulator such as valgrind may not implement the mode.
  if (_mm_getcsr() != CREALTIME_MODE) return;
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(CREALTIME_MODE));
#endif
  record(step->context);
}

void crealtime_check_x87(const void *context) {
#if defined(__x86_64__)
  // Round to nearest, 64 bits of precision, no exceptions: the ABI's default.
  static const uint16_t standard = 0x037f;
  uint16_t word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  if (__builtin_expect(word == standard, 1)) return;
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(standard));
  if (context) {
    record(context);
  } else {
    // The step is identified when it changes the mode again.
    crealtime_begin_checking_x87();
  }
#else
  (void)context;
#endif
}

void crealtime_begin_checking_x87(void) {
  __atomic_store_n(&crealtime_checks_x87, true, __ATOMIC_RELAXED);
}

bool crealtime_take_mode_change(const void *context) {
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    const void *step = context;
    if (atomic_compare_exchange_strong(&changes[i], &step, NULL)) return true;
  }
  return false;
}
