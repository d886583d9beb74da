// plugin.c: writes to an invalid address in run(). SPDX-License-Identifier: MIT
#include "pass_through.h"

static void crash(LV2_Handle handle, uint32_t count) {
  (void)handle;
  *(volatile float *)(uintptr_t)count = 1;
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:crash_in_run", instantiate, connect_port, NULL, crash, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
