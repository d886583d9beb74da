// plugin.c: outputs an impulse for each MIDI message, and echoes the message. SPDX-License-Identifier: MIT
//
// The impulse has the value of the message's second byte, at its frame. "breaches" is the sum of the bits
// below. After a message that begins with 0xf6, the echo has a false size.
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum {
  no_sequence = 1,
  not_aligned = 2,
  frame_outside = 4,
  out_of_order = 8,
  not_midi = 16,
  unit_not_frames = 32,
  spare_not_empty = 64,
  echo_not_a_chunk = 128,
  echo_too_small = 256,
  padding_not_zero = 512,
};

enum { spare, notes, echo, out, breaches, port_count, echo_bytes = 65536 };

typedef struct {
  void *ports[port_count];
  LV2_URID sequence, chunk, midi;
  unsigned found;
} Notes;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path;
  Notes *self = calloc(1, sizeof *self);
  for (; *features; features++) {
    if (strcmp((*features)->URI, LV2_URID__map) != 0) continue;
    const LV2_URID_Map *map = (*features)->data;
    self->sequence = map->map(map->handle, LV2_ATOM__Sequence);
    self->chunk = map->map(map->handle, LV2_ATOM__Chunk);
    self->midi = map->map(map->handle, LV2_MIDI__MidiEvent);
  }
  return self;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Notes *)handle)->ports[port] = data;
}

static void check(Notes *self, const LV2_Atom_Event *event, int64_t last, uint32_t frame_count) {
  if ((uintptr_t)event % 8 != 0) self->found |= not_aligned;
  if (event->time.frames < 0 || event->time.frames >= frame_count) self->found |= frame_outside;
  if (event->time.frames < last) self->found |= out_of_order;
  if (event->body.type != self->midi) self->found |= not_midi;
  const uint8_t *bytes = (const uint8_t *)(event + 1);
  for (uint32_t i = event->body.size; i % 8 != 0; i++)
    if (bytes[i] != 0) self->found |= padding_not_zero;
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Notes *self = handle;
  const LV2_Atom_Sequence *in = self->ports[notes], *other = self->ports[spare];
  LV2_Atom_Sequence *answer = self->ports[echo];
  float *sound = self->ports[out];
  memset(sound, 0, frame_count * sizeof *sound);
  if (in->atom.type != self->sequence || other->atom.type != self->sequence)
    self->found |= no_sequence;
  if (in->body.unit != 0) self->found |= unit_not_frames;
  if (other->atom.size != sizeof other->body) self->found |= spare_not_empty;
  if (answer->atom.type != self->chunk) self->found |= echo_not_a_chunk;
  if (answer->atom.size < echo_bytes) self->found |= echo_too_small;
  // The echo is a copy of the input. Its buffer has the size that the plugin's data requests.
  memcpy(answer, in, sizeof in->atom + in->atom.size);
  int64_t last = 0;
  for (uint32_t at = sizeof *in; at + sizeof(LV2_Atom_Event) <= sizeof in->atom + in->atom.size;) {
    const LV2_Atom_Event *event = (const LV2_Atom_Event *)((const char *)in + at);
    check(self, event, last, frame_count);
    last = event->time.frames;
    const uint8_t *bytes = (const uint8_t *)(event + 1);
    if (bytes[0] == 0xf6) answer->atom.size = 0x7fffffff;
    if (event->body.size > 1) sound[last] += bytes[1];
    at += sizeof *event + (event->body.size + 7) / 8 * 8;
  }
  *(float *)self->ports[breaches] = (float)self->found;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:notes", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
