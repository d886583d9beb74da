// plugin.c: aborts in instantiate(). SPDX-License-Identifier: MIT
#include "pass_through.h"

static LV2_Handle fail(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                       const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle, (void)features;
  abort();
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:abort_in_instantiate", fail, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
