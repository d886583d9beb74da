// plugin.c: stores property values of any type, and reports all of them on patch:Get. SPDX-License-Identifier: MIT
//
// "breaches" is the sum of the bits below. Messages are read with the functions of the LV2 headers.
// After "flood" is set to n, each run reports "told" n times, counting up. The output has the value of
// "gain" in every frame.
#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/patch/patch.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum {
  not_aligned = 1,
  out_of_order = 2,
  message_late = 4,
  spare_not_empty = 8,
  no_property = 16,
  frame_outside = 32,
};

enum { spare, control, notify, out, breaches, sets, port_count };
enum { property_count = 12, gain = 3, flood = 9, reported = 11, room = 65536 };

static const char *const names[property_count] = {"flag", "count", "length", "gain", "ratio", "words",
                                                  "file", "link",  "curve",  "flood", "vague", "told"};

typedef struct {
  void *ports[port_count];
  LV2_URID midi, get, set, put, property, value, body, keys[property_count];
  LV2_Atom_Forge forge;
  // Each value is the whole atom that was received, header included.
  union {
    LV2_Atom atom;
    uint64_t words[room / 8];
  } values[property_count];
  unsigned found, set_count;
} Properties;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path;
  Properties *self = calloc(1, sizeof *self);
  for (; *features; features++) {
    if (strcmp((*features)->URI, LV2_URID__map) != 0) continue;
    LV2_URID_Map *map = (*features)->data;
    lv2_atom_forge_init(&self->forge, map);
    self->midi = map->map(map->handle, LV2_MIDI__MidiEvent);
    self->get = map->map(map->handle, LV2_PATCH__Get);
    self->set = map->map(map->handle, LV2_PATCH__Set);
    self->put = map->map(map->handle, LV2_PATCH__Put);
    self->property = map->map(map->handle, LV2_PATCH__property);
    self->value = map->map(map->handle, LV2_PATCH__value);
    self->body = map->map(map->handle, LV2_PATCH__body);
    for (int i = 0; i < property_count; i++) {
      char uri[80] = "urn:outboard:test:properties#";
      self->keys[i] = map->map(map->handle, strcat(uri, names[i]));
    }
  }
  LV2_Atom_Int first = {{sizeof(int32_t), self->forge.Int}, 0};
  memcpy(&self->values[reported], &first, sizeof first);
  return self;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Properties *)handle)->ports[port] = data;
}

static void take(Properties *self, const LV2_Atom_Object *message) {
  const LV2_Atom_URID *property = NULL;
  const LV2_Atom *value = NULL;
  lv2_atom_object_get(message, self->property, &property, self->value, &value, 0);
  if (!property || property->atom.type != self->forge.URID || !value) {
    self->found |= no_property;
    return;
  }
  self->set_count++;
  for (int i = 0; i < property_count; i++)
    if (self->keys[i] == property->body && lv2_atom_total_size(value) <= room)
      memcpy(&self->values[i], value, lv2_atom_total_size(value));
}

static void tell(Properties *self) {
  LV2_Atom_Forge_Frame message, body;
  lv2_atom_forge_frame_time(&self->forge, 0);
  lv2_atom_forge_object(&self->forge, &message, 0, self->put);
  lv2_atom_forge_key(&self->forge, self->body);
  lv2_atom_forge_object(&self->forge, &body, 0, 0);
  for (int i = 0; i < property_count; i++) {
    const LV2_Atom *value = &self->values[i].atom;
    if (!value->type) continue;
    lv2_atom_forge_key(&self->forge, self->keys[i]);
    lv2_atom_forge_write(&self->forge, value, lv2_atom_total_size(value));
  }
  lv2_atom_forge_pop(&self->forge, &body);
  lv2_atom_forge_pop(&self->forge, &message);
}

static void pour(Properties *self) {
  if (self->values[flood].atom.type != self->forge.Int) return;
  int32_t *number = &((LV2_Atom_Int *)&self->values[reported])->body;
  for (int32_t i = 0; i < ((LV2_Atom_Int *)&self->values[flood])->body; i++) {
    LV2_Atom_Forge_Frame message;
    lv2_atom_forge_frame_time(&self->forge, 0);
    lv2_atom_forge_object(&self->forge, &message, 0, self->set);
    lv2_atom_forge_key(&self->forge, self->property);
    lv2_atom_forge_urid(&self->forge, self->keys[reported]);
    lv2_atom_forge_key(&self->forge, self->value);
    lv2_atom_forge_int(&self->forge, ++*number);
    lv2_atom_forge_pop(&self->forge, &message);
  }
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Properties *self = handle;
  const LV2_Atom_Sequence *in = self->ports[control], *other = self->ports[spare];
  LV2_Atom_Sequence *answer = self->ports[notify];
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_set_buffer(&self->forge, (uint8_t *)answer, answer->atom.size);
  lv2_atom_forge_sequence_head(&self->forge, &frame, 0);
  if (other->atom.size != sizeof other->body) self->found |= spare_not_empty;
  int64_t last = 0;
  LV2_ATOM_SEQUENCE_FOREACH (in, event) {
    if ((uintptr_t)event % 8 != 0) self->found |= not_aligned;
    if (event->time.frames < last) self->found |= out_of_order;
    last = event->time.frames;
    if (event->body.type == self->midi) {
      if (last >= frame_count) self->found |= frame_outside;
      continue;
    }
    if (last != 0) self->found |= message_late;
    const LV2_Atom_Object *message = (const LV2_Atom_Object *)&event->body;
    if (message->body.otype == self->set) take(self, message);
    if (message->body.otype == self->get) tell(self);
  }
  pour(self);
  const LV2_Atom *level = &self->values[gain].atom;
  for (uint32_t i = 0; i < frame_count; i++)
    ((float *)self->ports[out])[i] =
        level->type == self->forge.Float ? ((const LV2_Atom_Float *)level)->body : 0;
  lv2_atom_forge_pop(&self->forge, &frame);
  *(float *)self->ports[breaches] = (float)self->found;
  *(float *)self->ports[sets] = (float)self->set_count;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:properties", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
