// plugin.c: writes to file descriptors that it did not open. SPDX-License-Identifier: MIT
#include "pass_through.h"

#include <unistd.h>

static LV2_Handle disturb(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                          const LV2_Feature *const *features) {
  // Looks like a message of the helper process: a length of two, then two bytes of an unknown kind.
  const char bytes[] = {2, 0, 0, 0, 0x7f, 0};
  for (int file = 3; file < 8; file++)
    if (write(file, bytes, sizeof bytes) < 0) continue;
  return instantiate(descriptor, rate, bundle, features);
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:writes_to_descriptors", disturb, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
