// plugin.c: requires features that are only hints to a host. SPDX-License-Identifier: MIT
#include "pass_through.h"

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:hint_features", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
