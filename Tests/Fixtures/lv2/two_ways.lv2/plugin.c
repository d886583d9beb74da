// plugin.c: has two pairs of event ports, and copies each input to its output with a mark. SPDX-License-Identifier: MIT
//
// The mark replaces the last byte: 1 for the first pair of ports, 2 for the second.
#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <stdlib.h>
#include <string.h>

enum { in_a, in_b, out_a, out_b, out, port_count };

typedef struct {
  void *ports[port_count];
} Ways;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path, (void)features;
  return calloc(1, sizeof(Ways));
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Ways *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Ways *self = handle;
  memset(self->ports[out], 0, frame_count * sizeof(float));
  for (int way = 0; way < 2; way++) {
    const LV2_Atom_Sequence *from = self->ports[in_a + way];
    LV2_Atom_Sequence *to = self->ports[out_a + way];
    memcpy(to, from, sizeof from->atom + from->atom.size);
    LV2_ATOM_SEQUENCE_FOREACH (to, event)
      ((uint8_t *)(event + 1))[event->body.size - 1] = (uint8_t)(way + 1);
  }
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:two_ways", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
