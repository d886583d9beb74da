// plugin.c: prints to stdout and stderr in instantiate(). SPDX-License-Identifier: MIT
#include <stdio.h>

#include "pass_through.h"

static LV2_Handle chatter(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                          const LV2_Feature *const *features) {
  puts("\1\2\3 garbage on standard output");
  fflush(stdout);
  fputs("garbage on standard error\n", stderr);
  return instantiate(descriptor, rate, bundle, features);
}

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:chatter", chatter, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
