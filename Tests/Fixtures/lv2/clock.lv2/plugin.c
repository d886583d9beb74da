// plugin.c: outputs the musical time that it receives. SPDX-License-Identifier: MIT
//
// The first frame of "out" combines the four control ports into one number: speed, tempo, bar and beat in bar, by
// powers of ten. The readouts have the values of the last message. "breaches" is the sum of the bits below.
#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/time/time.h>
#include <lv2/midi/midi.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum { ports_differ = 1, wrong_type = 2, message_late = 4, fact_missing = 8 };

enum { first, second, speed, tempo, bar, bar_beat, in, out, messages, breaches, facts, port_count = 19 };

typedef struct {
  void *ports[port_count];
  LV2_URID position, midi, keys[9], types[9];
  LV2_URID integer, longer, real, longest;
  unsigned found, count;
} Clock;

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path;
  // The order is that of the readouts.
  static const char *const keys[9] = {LV2_TIME__frame, LV2_TIME__bar, LV2_TIME__barBeat, LV2_TIME__beat,
                                      LV2_TIME__beatsPerMinute, LV2_TIME__speed, LV2_TIME__beatsPerBar,
                                      LV2_TIME__beatUnit, LV2_TIME__framesPerSecond};
  static const char *const types[9] = {LV2_ATOM__Long, LV2_ATOM__Long, LV2_ATOM__Float, LV2_ATOM__Double,
                                       LV2_ATOM__Float, LV2_ATOM__Float, LV2_ATOM__Float, LV2_ATOM__Int,
                                       LV2_ATOM__Float};
  Clock *self = calloc(1, sizeof *self);
  for (; *features; features++) {
    if (strcmp((*features)->URI, LV2_URID__map) != 0) continue;
    const LV2_URID_Map *map = (*features)->data;
    self->position = map->map(map->handle, LV2_TIME__Position);
    self->midi = map->map(map->handle, LV2_MIDI__MidiEvent);
    self->integer = map->map(map->handle, LV2_ATOM__Int);
    self->longer = map->map(map->handle, LV2_ATOM__Long);
    self->real = map->map(map->handle, LV2_ATOM__Float);
    self->longest = map->map(map->handle, LV2_ATOM__Double);
    for (int i = 0; i < 9; i++) self->keys[i] = map->map(map->handle, keys[i]);
    for (int i = 0; i < 9; i++) self->types[i] = map->map(map->handle, types[i]);
  }
  return self;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Clock *)handle)->ports[port] = data;
}

static double number(const Clock *self, const LV2_Atom *value) {
  if (value->type == self->integer) return ((const LV2_Atom_Int *)value)->body;
  if (value->type == self->longer) return (double)((const LV2_Atom_Long *)value)->body;
  if (value->type == self->real) return ((const LV2_Atom_Float *)value)->body;
  return ((const LV2_Atom_Double *)value)->body;
}

static void read(Clock *self, const LV2_Atom_Object *position) {
  self->count++;
  for (int i = 0; i < 9; i++) {
    const LV2_Atom *value = NULL;
    lv2_atom_object_get(position, self->keys[i], &value, 0);
    if (!value) {
      self->found |= fact_missing;
      continue;
    }
    if (value->type != self->types[i]) self->found |= wrong_type;
    *(float *)self->ports[facts + i] = (float)number(self, value);
  }
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Clock *self = handle;
  const LV2_Atom_Sequence *one = self->ports[first], *two = self->ports[second];
  unsigned positions[2] = {0, 0};
  LV2_ATOM_SEQUENCE_FOREACH (one, event) {
    positions[0]++;
    if (event->time.frames != 0) self->found |= message_late;
    const LV2_Atom_Object *object = (const LV2_Atom_Object *)&event->body;
    if (object->body.otype == self->position) read(self, object);
  }
  LV2_ATOM_SEQUENCE_FOREACH (two, event) {
    if (event->body.type != self->midi) positions[1]++;
  }
  if (positions[0] != positions[1]) self->found |= ports_differ;
  float *sound = self->ports[out];
  memset(sound, 0, frame_count * sizeof *sound);
  if (frame_count > 0)
    sound[0] = *(float *)self->ports[speed] * 1000000 + *(float *)self->ports[tempo] * 1000 +
               *(float *)self->ports[bar] * 10 + *(float *)self->ports[bar_beat];
  *(float *)self->ports[messages] = (float)self->count;
  *(float *)self->ports[breaches] = (float)self->found;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:clock", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
