// pass_through.h: a mono plugin that copies its input. Most fixtures include it and replace one of its
// functions. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/core/lv2.h>
#include <stdlib.h>

typedef struct {
  const float *in;
  float *out;
} state;

static inline LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate,
                                     const char *bundle, const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle;
  (void)features;
  return calloc(1, sizeof(state));
}

static inline void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  state *s = handle;
  if (port == 0) s->in = data;
  if (port == 1) s->out = data;
}

static inline void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  for (uint32_t i = 0; i < count; i++) s->out[i] = s->in[i];
}

static inline void cleanup(LV2_Handle handle) { free(handle); }
