// clv2fixed.c: the cheapest way to run a plugin. SPDX-License-Identifier: MIT
#include "clv2support.h"

// A separate function, so that the caller needs no stack frame.
static __attribute__((noinline)) void tell_and_run(clv2_prebound *fixed, uint32_t frame_count) {
  fixed->report(fixed->state);
  fixed->run(fixed->handle, frame_count);
}

void clv2_fixed_step(void *context, float *const *buffers, uint32_t frame_count) {
  (void)buffers;
  clv2_prebound *fixed = context;
  if (__builtin_expect(__atomic_load_n(&fixed->has_news, __ATOMIC_RELAXED), 0)) {
    return tell_and_run(fixed, frame_count);
  }
  // In this order the handle is loaded into its register at once.
  void (*run)(LV2_Handle, uint32_t) = fixed->run;
  run(fixed->handle, frame_count);
}

void clv2_bind(clv2_prebound *fixed, LV2_Handle handle, const LV2_Descriptor *descriptor,
              void (*report)(void *state), void *state) {
  *fixed = (clv2_prebound){.handle = handle,
                        .run = descriptor->run,
                        .descriptor = descriptor,
                        .report = report,
                        .state = state,
                        .has_news = 1};
}

void clv2_mark_changed(clv2_prebound *fixed) { __atomic_store_n(&fixed->has_news, 1, __ATOMIC_RELEASE); }

bool clv2_take_changed(clv2_prebound *fixed) {
  // The relaxed load costs almost nothing. The exchange pairs with the store in `clv2_mark_changed`.
  return __atomic_load_n(&fixed->has_news, __ATOMIC_RELAXED) &&
         __atomic_exchange_n(&fixed->has_news, 0, __ATOMIC_ACQUIRE);
}
