// plugin.c: logs a reason and returns NULL from instantiate(). SPDX-License-Identifier: MIT
#include <lv2/core/lv2.h>
#include <stdlib.h>
#include <lv2/log/log.h>
#include <lv2/urid/urid.h>
#include <string.h>

typedef struct {
  const float *in;
  float *out;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle;
  const LV2_Log_Log *log = NULL;
  const LV2_URID_Map *map = NULL;
  for (int i = 0; features[i]; i++) {
    if (!strcmp(features[i]->URI, LV2_LOG__log)) log = features[i]->data;
    if (!strcmp(features[i]->URI, LV2_URID__map)) map = features[i]->data;
  }
  log->printf(log->handle, map->map(map->handle, LV2_LOG__Error), "the moon is %d degrees too %s\n", 3,
              "low");
  return NULL;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  state *s = handle;
  if (port == 0) s->in = data;
  if (port == 1) s->out = data;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  for (uint32_t i = 0; i < count; i++) s->out[i] = s->in[i];
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {
    "urn:outboard:test:instantiate_null", instantiate, connect_port, NULL, run, NULL, cleanup, NULL};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
