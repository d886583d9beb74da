// plugin.c: calls a function that no library exports. SPDX-License-Identifier: MIT
#include "pass_through.h"

extern void outboard_test_nowhere(void);

static LV2_Handle call_nowhere(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                               const LV2_Feature *const *features) {
  outboard_test_nowhere();
  return instantiate(descriptor, rate, bundle, features);
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:undefined_symbol", call_nowhere, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
