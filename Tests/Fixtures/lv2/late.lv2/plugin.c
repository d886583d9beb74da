// plugin.c: delays its input by "delay" frames, and reports that as its latency. SPDX-License-Identifier: MIT
//
// When "delay" changes, it crossfades from the old delay to the new one by half a cosine of 50 ms, which
// does not click.
#include <lv2/core/lv2.h>
#include <math.h>
#include <stdlib.h>

enum { in, out, delay, latency, port_count };
enum { ring_length = 1 << 13 };

typedef struct {
  float *ports[port_count];
  float ring[ring_length];
  unsigned time, now, before;
  /// Frames of the current fade that are done, and frames of a whole fade.
  unsigned faded, whole;
} Late;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)path, (void)features;
  Late *late = calloc(1, sizeof(Late));
  if (late) late->whole = late->faded = (unsigned)(rate / 20);
  return late;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Late *)handle)->ports[port] = data;
}

static float captured(const Late *late, unsigned frames) {
  return late->ring[(late->time - frames) % ring_length];
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Late *late = handle;
  float *const *ports = late->ports;
  const unsigned wanted = (unsigned)*ports[delay];
  if (wanted != late->now && late->faded == late->whole) {
    late->before = late->now;
    late->now = wanted;
    late->faded = 0;
  }
  for (uint32_t i = 0; i < frame_count; i++, late->time++) {
    late->ring[late->time % ring_length] = ports[in][i];
    const float new = captured(late, late->now);
    if (late->faded == late->whole) {
      ports[out][i] = new;
      continue;
    }
    const float gain = (1 - cosf(3.14159265f * ++late->faded / late->whole)) / 2;
    const float old = captured(late, late->before);
    ports[out][i] = old + (new - old) * gain;
  }
  *ports[latency] = (float)late->now;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:late", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
