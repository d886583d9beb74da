// plugin.c: its data uses every port property that the host reads; "lag" is its latency. SPDX-License-Identifier: MIT
//
// "seen" adds 1 if a value was ever out of its range, and 2 if "works" was 0 in the first run.
#include <lv2/core/lv2.h>
#include <stdlib.h>
#include <string.h>

enum { side, in, out, works, level, lag, lateness, mode, cutoff, seen, pitch, corner, port_count };

typedef struct {
  float *ports[port_count];
  int faults, runs;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle, (void)features;
  return calloc(1, sizeof(state));
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  const float value = *s->ports[level], chosen = *s->ports[mode], delay = *s->ports[lag];
  if (!(value >= -0.5f && value <= 0.5f) || (chosen != 0 && chosen != 10 && chosen != 20) ||
      delay != (float)(int)delay)
    s->faults |= 1;
  if (s->runs++ == 0 && *s->ports[works] != 1) s->faults |= 2;
  if (count > 0) memcpy(s->ports[out], s->ports[in], count * sizeof(float));
  *s->ports[lateness] = delay;
  *s->ports[seen] = (float)s->faults;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:port_facts", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
