// plugin.c: its data has a port without an index. SPDX-License-Identifier: MIT
#include "pass_through.h"

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:port_without_index", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
