// plugin.c: writes to an invalid address at 96000 Hz, and in blocks of 100 frames. SPDX-License-Identifier: MIT
#include <lv2/core/lv2.h>
#include <stdlib.h>

typedef struct {
  const float *in;
  float *out;
  double rate;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)bundle;
  (void)features;
  state *s = calloc(1, sizeof *s);
  s->rate = rate;
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  state *s = handle;
  if (port == 0) s->in = data;
  if (port == 1) s->out = data;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  if (s->rate == 96000 || count == 100) *(volatile float *)(uintptr_t)count = 1;
  for (uint32_t i = 0; i < count; i++) s->out[i] = s->in[i];
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:crash_at_96000", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
