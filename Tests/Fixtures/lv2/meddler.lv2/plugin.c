// plugin.c: adds a constant; changes the locale, the rounding mode and its input. SPDX-License-Identifier: MIT
#include "pass_through.h"

#include <fenv.h>
#include <locale.h>
#include <unistd.h>

static LV2_Handle meddle(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                         const LV2_Feature *const *features) {
  setlocale(LC_ALL, "C.UTF-8");
  // Sets both rounding modes: that of SSE and that of the x87.
  fesetround(FE_UPWARD);
  return instantiate(descriptor, rate, bundle, features);
}

static void run_rudely(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  for (uint32_t i = 0; i < count; i++) {
    s->out[i] = s->in[i] + 0.25f;
    ((float *)s->in)[i] = 9;
  }
  fesetround(FE_UPWARD);
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:meddler", meddle, connect_port, NULL, run_rudely, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
