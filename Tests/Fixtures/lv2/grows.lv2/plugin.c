// plugin.c: requests a larger event buffer while it writes one long message into it. SPDX-License-Identifier: MIT
//
// "status" is the result of that request, "size" the buffer's size at the start of the run, "other" the
// result of the same request for a port without an event buffer.
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/resize-port/resize-port.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum { wanted, echo, out, status, size, other, port_count };

typedef struct {
  void *ports[port_count];
  const LV2_Resize_Port_Resize *resize;
  LV2_URID sequence, midi;
} Grows;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path;
  Grows *self = calloc(1, sizeof *self);
  for (; *features; features++) {
    if (strcmp((*features)->URI, LV2_RESIZE_PORT__resize) == 0) self->resize = (*features)->data;
    if (strcmp((*features)->URI, LV2_URID__map) != 0) continue;
    const LV2_URID_Map *map = (*features)->data;
    self->sequence = map->map(map->handle, LV2_ATOM__Sequence);
    self->midi = map->map(map->handle, LV2_MIDI__MidiEvent);
  }
  if (self->resize) return self;
  free(self);
  return NULL;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Grows *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Grows *self = handle;
  memset(self->ports[out], 0, frame_count * sizeof(float));
  LV2_Atom_Sequence *sent = self->ports[echo];
  *(float *)self->ports[size] = (float)sent->atom.size;
  *(float *)self->ports[other] = (float)self->resize->resize(self->resize->data, out, 64);
  const size_t bytes = (size_t)*(float *)self->ports[wanted];
  LV2_Atom_Event *event = (LV2_Atom_Event *)(sent + 1);
  uint8_t *message = (uint8_t *)(event + 1);
  message[0] = 0xf0;
  const int answer = self->resize->resize(self->resize->data, echo, bytes);
  *(float *)self->ports[status] = (float)answer;
  sent = self->ports[echo];
  event = (LV2_Atom_Event *)(sent + 1);
  sent->atom.type = self->sequence;
  sent->atom.size = sizeof sent->body;
  sent->body.unit = 0;
  const size_t taken = sizeof *sent + sizeof *event;
  if (answer || bytes <= taken) return;
  event->time.frames = 0;
  event->body.type = self->midi;
  event->body.size = (uint32_t)(bytes - taken);
  memset((uint8_t *)(event + 1) + 1, 7, event->body.size - 1);
  sent->atom.size = (uint32_t)(bytes - sizeof sent->atom);
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:grows", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
