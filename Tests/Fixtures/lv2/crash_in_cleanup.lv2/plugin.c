// plugin.c: aborts in cleanup(). SPDX-License-Identifier: MIT
#include "pass_through.h"

static void fail(LV2_Handle handle) {
  (void)handle;
  abort();
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:crash_in_cleanup", instantiate, connect_port, NULL, run, NULL, fail, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
