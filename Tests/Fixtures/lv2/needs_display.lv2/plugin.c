// plugin.c: aborts unless QT_QPA_PLATFORM says that there is no display. SPDX-License-Identifier: MIT
#include <string.h>

#define instantiate instantiate_at_once
#include "pass_through.h"
#undef instantiate

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  // Qt aborts in the same way when it cannot open a display. Tests never have a display.
  const char *platform = getenv("QT_QPA_PLATFORM");
  if (!platform || strcmp(platform, "offscreen")) abort();
  return instantiate_at_once(descriptor, rate, bundle, features);
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:needs_display", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
