// plugin.c: aborts in lv2_descriptor(). SPDX-License-Identifier: MIT
#include "pass_through.h"

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:abort_in_descriptor", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) {
  (void)index;
  (void)descriptor;
  abort();
}
