// plugin.c: hangs when its library is loaded. SPDX-License-Identifier: MIT
#include "pass_through.h"
#include <unistd.h>

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:hang_in_constructor", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }

__attribute__((constructor)) static void begin(void) {
  for (;;) pause();
}
