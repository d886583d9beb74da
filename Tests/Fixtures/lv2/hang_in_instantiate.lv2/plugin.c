// plugin.c: hangs in instantiate(). SPDX-License-Identifier: MIT
#include <unistd.h>

#include "pass_through.h"

static LV2_Handle hang(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                       const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle, (void)features;
  for (;;) pause();
  return NULL;
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:hang_in_instantiate", hang, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
