// checks.h: checks what the host passes to the plugin. SPDX-License-Identifier: MIT
#pragma once

#include "watching.h"

#include <lv2/atom/atom.h>
#include <lv2/atom/util.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/midi/midi.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/patch/patch.h>
#include <lv2/time/time.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  LV2_URID chunk, sequence, type_float, type_int, frame_time, midi;
} numbers;

static const void *feature(const LV2_Feature *const *features, const char *uri) {
  for (int i = 0; features && features[i]; i++)
    if (!strcmp(features[i]->URI, uri)) return features[i]->data;
  return NULL;
}

static LV2_URID number(const LV2_URID_Map *map, const LV2_URID_Unmap *unmap, const char *uri) {
  // The same text at another address is the same URI.
  char *copy = strdup(uri);
  const LV2_URID first = map->map(map->handle, uri), second = map->map(map->handle, copy);
  free(copy);
  if (first == 0) breach("urid:map gave 0 for %s", uri);
  if (first != second) breach("urid:map gave two numbers for %s", uri);
  const char *text = unmap ? unmap->unmap(unmap->handle, first) : uri;
  if (!text || strcmp(text, uri)) breach("urid:unmap does not give %s back", uri);
  return first;
}

/// Returns an option's value by its key. Reports a breach if the option has the wrong type.
static const void *option(const LV2_Options_Option *options, LV2_URID key, LV2_URID type,
                          const char *name) {
  for (; options && options->key; options++) {
    if (options->key != key) continue;
    if (options->type != type || options->size != 4 || !options->value)
      breach("the option %s has another type than it should", name);
    return options->value;
  }
  return NULL;
}

/// Reports a breach if denormals are not flushed to zero (x86-64 only).
static void check_denormals(void) {
#if defined(__x86_64__)
  if ((__builtin_ia32_stmxcsr() & 0x8040) != 0x8040) breach("run was called without FTZ and DAZ");
#endif
}

static void check_value(const float *value, float least, float most, const char *name) {
  if (!value || !isfinite(*value) || *value < least || *value > most)
    breach("the port %s has a value out of its range", name);
}

/// Checks that events are in order, within the block and within the buffer. Returns the number of MIDI events.
static unsigned check_sequence(const LV2_Atom_Sequence *events, const numbers *n, uint32_t frames,
                               uint32_t capacity) {
  unsigned count = 0;
  if (events->atom.type != n->sequence || events->atom.size < sizeof events->body ||
      events->atom.size > capacity) {
    breach("an input of events is no sequence");
    return 0;
  }
  if (events->body.unit != 0 && events->body.unit != n->frame_time)
    breach("an input of events counts in another unit than frames");
  int64_t last = 0;
  LV2_ATOM_SEQUENCE_FOREACH(events, event) {
    if (event->time.frames < last) breach("events came out of order");
    if (event->time.frames >= (frames > 0 ? frames : 1)) breach("an event came for a later block");
    if (event->body.type == 0) breach("an event came without a type");
    last = event->time.frames;
    count += event->body.type == n->midi;
  }
  return count;
}

/// Checks that an event output has type Chunk and at least `least` bytes of room.
static void check_room(const LV2_Atom *out, const numbers *n, uint32_t least) {
  if (out->type != n->chunk) breach("an output of events was not of type Chunk before the run");
  if (out->size < least) breach("an output of events has room for %u bytes, not %u", out->size, least);
}

/// A copy of the features: the host must keep them unchanged as long as the instance exists.
typedef struct {
  const LV2_Feature *const *list;
  const void *data[64];
  char *uris[64];
  int count;
} kept_features;

static kept_features keep(const LV2_Feature *const *features) {
  kept_features kept = {.list = features};
  for (; features && features[kept.count] && kept.count < 64; kept.count++) {
    kept.data[kept.count] = features[kept.count]->data;
    kept.uris[kept.count] = strdup(features[kept.count]->URI);
  }
  return kept;
}

static void check_kept(const kept_features *kept) {
  for (int i = 0; i < kept->count; i++) {
    const LV2_Feature *now = kept->list[i];
    if (!now || strcmp(now->URI, kept->uris[i]) || now->data != kept->data[i])
      breach("the feature %s did not live as long as the instance", kept->uris[i]);
  }
}
