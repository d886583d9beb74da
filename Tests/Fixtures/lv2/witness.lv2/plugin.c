// plugin.c: records every rule that its host breaks. SPDX-License-Identifier: MIT
//
// The output "breaches" is the sum of the bits below. 0 means that the host keeps all these rules.
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/urid/urid.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  wrong_rate_option = 1,
  wrong_length_option = 2,
  option_moved = 4,
  bad_urid = 8,
  port_missing_at_activate = 16,
  bad_event_input = 32,
  bad_event_output = 64,
  run_before_activate = 128,
  block_too_long = 256,
  not_a_number = 512,
  in_place = 1024,
};

enum { minimum_event_bytes = 100000, port_count = 11 };

typedef struct {
  void *ports[port_count];
  const LV2_Options_Option *options;
  LV2_URID_Map map;
  LV2_URID float_type, int_type, rate_key, longest_key, sequence, chunk;
  double rate;
  int32_t longest;
  unsigned breaches;
  unsigned pulses;
  bool is_active;
} state;

static void check_options(state *s) {
  unsigned seen = 0;
  for (const LV2_Options_Option *o = s->options; o->key; o++) {
    if (o->key == s->rate_key) {
      seen |= 1;
      if (o->type != s->float_type || o->size != sizeof(float) || *(const float *)o->value != s->rate)
        s->breaches |= wrong_rate_option;
    } else if (o->key == s->longest_key) {
      seen |= 2;
      if (o->type != s->int_type || o->size != sizeof(int32_t)) s->breaches |= wrong_length_option;
      else s->longest = *(const int32_t *)o->value;
    }
  }
  if (!(seen & 1)) s->breaches |= wrong_rate_option;
  if (!(seen & 2)) s->breaches |= wrong_length_option;
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)bundle;
  state *s = calloc(1, sizeof *s);
  const LV2_URID_Unmap *unmap = NULL;
  for (int i = 0; features[i]; i++) {
    if (!strcmp(features[i]->URI, LV2_URID__map)) s->map = *(const LV2_URID_Map *)features[i]->data;
    if (!strcmp(features[i]->URI, LV2_URID__unmap)) unmap = features[i]->data;
    if (!strcmp(features[i]->URI, LV2_OPTIONS__options)) s->options = features[i]->data;
  }
  if (!s->map.map || !unmap || !s->options) {
    free(s);
    return NULL;
  }
  s->rate = rate;
  s->float_type = s->map.map(s->map.handle, LV2_ATOM__Float);
  s->int_type = s->map.map(s->map.handle, LV2_ATOM__Int);
  s->rate_key = s->map.map(s->map.handle, LV2_PARAMETERS__sampleRate);
  s->longest_key = s->map.map(s->map.handle, LV2_BUF_SIZE__maxBlockLength);
  s->sequence = s->map.map(s->map.handle, LV2_ATOM__Sequence);
  s->chunk = s->map.map(s->map.handle, LV2_ATOM__Chunk);
  if (!s->float_type || s->float_type == s->int_type || unmap->unmap(unmap->handle, 0) ||
      s->map.map(s->map.handle, LV2_ATOM__Float) != s->float_type ||
      strcmp(unmap->unmap(unmap->handle, s->float_type), LV2_ATOM__Float) != 0)
    s->breaches |= bad_urid;
  check_options(s);
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void activate(LV2_Handle handle) {
  state *s = handle;
  s->is_active = true;
  s->pulses = 0;
  // Port 9 is optional and of an unknown type, so NULL is correct.
  for (int i = 0; i < port_count; i++)
    if (!s->ports[i] && i != 9) s->breaches |= port_missing_at_activate;
  if (s->ports[9]) s->breaches |= port_missing_at_activate;
}

static void deactivate(LV2_Handle handle) { ((state *)handle)->is_active = false; }

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  check_options(s);
  if (!s->is_active) s->breaches |= run_before_activate;
  if (count > (uint32_t)s->longest) s->breaches |= block_too_long;
  if (s->ports[0] == s->ports[1]) s->breaches |= in_place;
  const LV2_Atom_Sequence *events = s->ports[5];
  if (events->atom.type != s->sequence || events->atom.size != sizeof(LV2_Atom_Sequence_Body))
    s->breaches |= bad_event_input;
  LV2_Atom_Sequence *sent = s->ports[6];
  if (sent->atom.type != s->chunk || sent->atom.size < minimum_event_bytes)
    s->breaches |= bad_event_output;
  else
    memset(sent + 1, 0x55, minimum_event_bytes - sizeof(LV2_Atom_Sequence_Body));
  sent->atom.type = s->sequence;
  sent->atom.size = sizeof(LV2_Atom_Sequence_Body);
  const float gain = *(const float *)s->ports[2];
  const float pulse = *(const float *)s->ports[3];
  if (gain != gain) s->breaches |= not_a_number;
  if (pulse > 0) s->pulses++;
  for (uint32_t i = 0; i < count; i++)
    ((float *)s->ports[1])[i] = ((const float *)s->ports[0])[i] * gain;
  *(float *)s->ports[4] = (float)s->breaches;
  *(float *)s->ports[7] = (float)s->pulses;
  *(float *)s->ports[8] = 17;

}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {"urn:outboard:test:witness", instantiate, connect_port,
                                          activate, run, deactivate, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
