// plugin.c: MIDI through event ports, the extension that LV2 used before 2012. SPDX-License-Identifier: MIT
//
// "heard" has the second byte of each message at its frame. Each message is also returned at that frame.
// After a message that begins with 0xf6, the output claims to be longer than its buffer. "breaches" is
// the sum of the bits below.
#include <lv2/core/lv2.h>
#include <lv2/event/event.h>
#include <lv2/midi/midi.h>
#include <lv2/uri-map/uri-map.h>
#include <stdlib.h>
#include <string.h>

enum {
  feature_missing = 1,
  bad_header = 2,
  bad_size = 4,
  event_outside = 8,
  output_not_empty = 16,
  foreign_event = 32,
};

enum { captured, other, events, sent, breaches, port_count };

typedef struct {
  void *ports[port_count];
  uint16_t midi;
  unsigned breaches;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle;
  state *s = calloc(1, sizeof *s);
  const LV2_URI_Map_Feature *map = NULL;
  const LV2_Event_Feature *counting = NULL;
  for (int i = 0; features[i]; i++) {
    if (!strcmp(features[i]->URI, LV2_URI_MAP_URI)) map = features[i]->data;
    if (!strcmp(features[i]->URI, LV2_EVENT_URI)) counting = features[i]->data;
  }
  if (!map || !counting || !counting->lv2_event_ref || !counting->lv2_event_unref) {
    free(s);
    return NULL;
  }
  s->midi = (uint16_t)map->uri_to_id(map->callback_data, LV2_EVENT_URI, LV2_MIDI__MidiEvent);
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void check_header(state *s, const LV2_Event_Buffer *buffer) {
  if (!buffer->data || buffer->header_size != sizeof *buffer || buffer->stamp_type != 0 ||
      buffer->capacity < 1000 || buffer->size > buffer->capacity)
    s->breaches |= bad_header;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  const LV2_Event_Buffer *received = s->ports[events];
  LV2_Event_Buffer *answer = s->ports[sent];
  const LV2_Event_Buffer *silent = s->ports[other];
  check_header(s, received);
  check_header(s, answer);
  check_header(s, silent);
  if (silent->event_count || silent->size) s->breaches |= foreign_event;
  if (answer->event_count || answer->size) s->breaches |= output_not_empty;
  float *out = s->ports[captured];
  memset(out, 0, count * sizeof *out);
  uint32_t place = 0;
  uint32_t claimed = 0;
  for (uint32_t i = 0; i < received->event_count; i++) {
    const LV2_Event *event = (const LV2_Event *)(received->data + place);
    const uint32_t length = (sizeof *event + event->size + 7) & ~7u;
    if (place + length > received->size) {
      s->breaches |= bad_size;
      break;
    }
    if (event->frames >= count || event->type != s->midi) {
      s->breaches |= event_outside;
    } else {
      const uint8_t *bytes = (const uint8_t *)(event + 1);
      if (event->size > 1) out[event->frames] += bytes[1];
      if (bytes[0] == 0xf6) claimed = 1 << 30;
      if (answer->size + length <= answer->capacity) {
        memcpy(answer->data + answer->size, event, length);
        answer->size += length;
        answer->event_count++;
      }
    }
    place += length;
  }
  if (place != received->size) s->breaches |= bad_size;
  if (claimed) answer->size = answer->event_count = claimed;
  *(float *)s->ports[breaches] = (float)s->breaches;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:legacy_events", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
