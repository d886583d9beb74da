// plugin.c: plugins that require certain block lengths and record those they get. SPDX-License-Identifier: MIT
//
// Audio passes unchanged. "heard" has the second byte of each MIDI message at its frame. Each message
// is also returned at that frame. "breaches" is the sum of the bits below. "shortest" and "longest"
// cover all runs so far. "features" adds 1 for fixed, 2 for power of two and 4 for coarse lengths.
// "told" is the nominal length that arrived through options:interface.
#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum {
  not_fixed = 1,
  no_power_of_two = 2,
  out_of_bounds = 4,
  bounds_differ = 8,
  wrong_option = 16,
  nominal_out_of_bounds = 32,
  event_outside = 64,
  reported_wrongly = 128,
};

enum { in, out, captured, events, sent, breaches, shortest, longest, features, reported, port_count };

typedef struct {
  void *ports[port_count];
  const LV2_URID_Map *map;
  int32_t min, max, nominal, sequence_size;
  unsigned breaches, features, shortest, longest, reported;
} state;

static LV2_URID map(const state *s, const char *uri) { return s->map->map(s->map->handle, uri); }

/// Reads the lengths. Returns the number of options that have the wrong type.
static int read_options(state *s, const LV2_Options_Option *o) {
  int wrong = 0;
  for (; o->key; o++) {
    int32_t *place = o->key == map(s, LV2_BUF_SIZE__minBlockLength)       ? &s->min
                     : o->key == map(s, LV2_BUF_SIZE__maxBlockLength)     ? &s->max
                     : o->key == map(s, LV2_BUF_SIZE__nominalBlockLength) ? &s->nominal
                     : o->key == map(s, LV2_BUF_SIZE__sequenceSize)       ? &s->sequence_size
                                                                          : NULL;
    const int is_rate = o->key == map(s, LV2_PARAMETERS__sampleRate);
    wrong += !place && !is_rate;
    wrong += o->size != 4 || o->type != map(s, is_rate ? LV2_ATOM__Float : LV2_ATOM__Int);
    if (place) *place = *(const int32_t *)o->value;
  }
  return wrong;
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *all) {
  (void)rate, (void)bundle;
  state *s = calloc(1, sizeof *s);
  const LV2_Options_Option *options = NULL;
  for (int i = 0; all[i]; i++) {
    if (!strcmp(all[i]->URI, LV2_URID__map)) s->map = all[i]->data;
    if (!strcmp(all[i]->URI, LV2_OPTIONS__options)) options = all[i]->data;
    if (!strcmp(all[i]->URI, LV2_BUF_SIZE__fixedBlockLength)) s->features |= 1;
    if (!strcmp(all[i]->URI, LV2_BUF_SIZE__powerOf2BlockLength)) s->features |= 2;
    if (!strcmp(all[i]->URI, LV2_BUF_SIZE__coarseBlockLength)) s->features |= 4;
  }
  if (read_options(s, options) > 0) s->breaches |= wrong_option;
  if ((s->features & 1) && s->min != s->max) s->breaches |= bounds_differ;
  if (s->nominal < s->min || s->nominal > s->max) s->breaches |= nominal_out_of_bounds;
  if (s->sequence_size < 1000) s->breaches |= wrong_option;
  // Some convolvers need blocks of at least this length, and only powers of two.
  if (strstr(descriptor->URI, ":stubborn") && (s->max < 64 || (s->max & (s->max - 1)))) {
    free(s);
    return NULL;
  }
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void pass_events(state *s, uint32_t count) {
  const LV2_Atom_Sequence *received = s->ports[events];
  LV2_Atom_Sequence *answer = s->ports[sent];
  const uint32_t capacity = answer->atom.size;
  answer->atom.type = map(s, LV2_ATOM__Sequence);
  lv2_atom_sequence_clear(answer);
  LV2_ATOM_SEQUENCE_FOREACH (received, event) {
    if (event->time.frames < 0 || event->time.frames >= count) {
      s->breaches |= event_outside;
      continue;
    }
    const uint8_t *bytes = (const uint8_t *)(event + 1);
    if (event->body.size > 1) ((float *)s->ports[captured])[event->time.frames] += bytes[1];
    lv2_atom_sequence_append_event(answer, capacity, event);
  }
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  if ((s->features & 1) && count != (uint32_t)s->max) s->breaches |= not_fixed;
  if ((s->features & 2) && (count & (count - 1))) s->breaches |= no_power_of_two;
  if (count < (uint32_t)s->min || count > (uint32_t)s->max) s->breaches |= out_of_bounds;
  if (!s->shortest || count < s->shortest) s->shortest = count;
  if (count > s->longest) s->longest = count;
  memmove(s->ports[out], s->ports[in], count * sizeof(float));
  memset(s->ports[captured], 0, count * sizeof(float));
  pass_events(s, count);
  *(float *)s->ports[breaches] = (float)s->breaches;
  *(float *)s->ports[shortest] = (float)s->shortest;
  *(float *)s->ports[longest] = (float)s->longest;
  *(float *)s->ports[features] = (float)s->features;
  *(float *)s->ports[reported] = (float)s->reported;
}

static uint32_t get(LV2_Handle handle, LV2_Options_Option *options) {
  (void)handle, (void)options;
  return LV2_OPTIONS_ERR_BAD_KEY;
}

static uint32_t set(LV2_Handle handle, const LV2_Options_Option *options) {
  state *s = handle;
  if (read_options(s, options) > 0) s->breaches |= reported_wrongly;
  if (s->nominal < s->min || s->nominal > s->max) s->breaches |= reported_wrongly;
  s->reported = s->nominal;
  return LV2_OPTIONS_SUCCESS;
}

static const void *extension_data(const char *uri) {
  static const LV2_Options_Interface interface = {get, set};
  return strcmp(uri, LV2_OPTIONS__interface) ? NULL : &interface;
}

static void cleanup(LV2_Handle handle) { free(handle); }

#define PLUGIN(name)                                                                                \
  {"urn:outboard:test:block_lengths:" name, instantiate, connect_port, NULL, run, NULL, cleanup,    \
   extension_data}

static const LV2_Descriptor descriptors[] = {PLUGIN("any"),  PLUGIN("fixed"), PLUGIN("power"),
                                             PLUGIN("both"), PLUGIN("would"), PLUGIN("stubborn"),
                                             PLUGIN("limited")};

const LV2_Descriptor *lv2_descriptor(uint32_t index) {
  return index < sizeof descriptors / sizeof *descriptors ? &descriptors[index] : NULL;
}
