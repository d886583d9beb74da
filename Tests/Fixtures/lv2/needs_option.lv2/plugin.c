// plugin.c: requires an option that no host supports. SPDX-License-Identifier: MIT
#include "pass_through.h"

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:needs_option", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
