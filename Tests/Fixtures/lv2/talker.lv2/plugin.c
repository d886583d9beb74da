// plugin.c: copies its input and writes to the log. SPDX-License-Identifier: MIT
//
// When `say` changes to a value above 0, it logs a warning and a note. At 2 it also logs an error every 64 frames.
// At 3 it logs a hundred traces and an error in each block.
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/urid/urid.h>
#include <stdlib.h>
#include <string.h>

enum { in, out, say, port_count };

typedef struct {
  float *ports[port_count];
  LV2_Log_Log *log;
  LV2_URID error, warning, note, trace;
  int said;
} Talker;

static void *feature(const LV2_Feature *const *features, const char *uri) {
  for (; *features; features++)
    if (!strcmp((*features)->URI, uri)) return (*features)->data;
  return NULL;
}

static LV2_Handle instantiate(const LV2_Descriptor *d, double rate, const char *path,
                              const LV2_Feature *const *features) {
  (void)d, (void)rate, (void)path;
  LV2_URID_Map *map = feature(features, LV2_URID__map);
  Talker *talker = calloc(1, sizeof(Talker));
  if (!talker) return NULL;
  talker->log = feature(features, LV2_LOG__log);
  talker->error = map->map(map->handle, LV2_LOG__Error);
  talker->warning = map->map(map->handle, LV2_LOG__Warning);
  talker->note = map->map(map->handle, LV2_LOG__Note);
  talker->trace = map->map(map->handle, LV2_LOG__Trace);
  return talker;
}

static void connect(LV2_Handle handle, uint32_t port, void *data) {
  ((Talker *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t frame_count) {
  Talker *talker = handle;
  LV2_Log_Log *log = talker->log;
  memcpy(talker->ports[out], talker->ports[in], frame_count * sizeof(float));
  const int wanted = (int)*talker->ports[say];
  if (wanted != talker->said && wanted > 0) {
    log->printf(log->handle, talker->warning, "It is\tset to %d.\n", wanted);
    log->printf(log->handle, talker->note, "Nobody need know.\n");
  }
  talker->said = wanted;
  if (wanted == 2)
    for (uint32_t i = 0; i < frame_count; i += 64)
      log->printf(log->handle, talker->error, "Again.\n");
  if (wanted == 3) {
    for (int i = 0; i < 100; i++) log->printf(log->handle, talker->trace, "Going on.\n");
    log->printf(log->handle, talker->error, "Between traces.\n");
  }
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:talker", instantiate, connect, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
