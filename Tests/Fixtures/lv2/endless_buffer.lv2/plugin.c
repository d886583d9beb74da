// plugin.c: requests more event memory than the machine has. SPDX-License-Identifier: MIT
#include <lv2/core/lv2.h>
#include <stdlib.h>

typedef struct {
  float *out;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle;
  (void)features;
  return calloc(1, sizeof(state));
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  state *s = handle;
  if (port == 1) s->out = data;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  for (uint32_t i = 0; i < count; i++) s->out[i] = 0;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:endless_buffer", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
