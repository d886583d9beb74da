// plugin.c: adds its control voltages to the audio; a CV output has twice the audio. SPDX-License-Identifier: MIT
//
// "missing" is 1 if the optional port "accent" is not connected.
#include <lv2/core/lv2.h>
#include <stdlib.h>

enum { pitch, in, level, out, accent, missing, port_count };

typedef struct {
  float *ports[port_count];
} Voltage;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path, (void)features;
  return calloc(1, sizeof(Voltage));
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Voltage *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  float *const *ports = ((Voltage *)handle)->ports;
  for (uint32_t i = 0; i < frame_count; i++) {
    const float sound = ports[in][i];
    ports[out][i] = sound + ports[pitch][i] + (ports[accent] ? ports[accent][i] : 0);
    ports[level][i] = 2 * sound;
  }
  *ports[missing] = ports[accent] ? 0 : 1;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:voltage", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
