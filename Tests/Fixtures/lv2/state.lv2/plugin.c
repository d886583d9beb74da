// plugin.c: has a state, and checks how it is saved and restored. SPDX-License-Identifier: MIT
//
// The output is the input times "gain" times the level. The level is part of the state. "poke" halves the
// level and sends state:StateChanged. "breaches" is the sum of the bits below, "restores" counts calls of
// restore, "files" is the number of the state's files that the last restore could open.
#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  feature_missing = 1,
  active_without_default = 2,
  restored_while_run = 4,
  wrong_thread = 8,
  bad_value_accepted = 16,
  path_not_mapped = 32,
  worked_elsewhere = 64,
  saved_while_restored = 128,
};

enum { port_count = 8, path_bytes = 4096 };

#define KEY "urn:outboard:test:state:"

typedef struct {
  void *ports[port_count];
  LV2_URID_Map *map;
  LV2_Atom_Forge forge;
  LV2_State_Make_Path *make;
  LV2_Worker_Schedule *schedule;
  bool is_safe, was_restored;
  pthread_t home;
  _Atomic float level;
  atomic_uint breaches;
  atomic_bool is_running, is_restoring;
  unsigned restores, files;
  char word[64], sample[path_bytes], take[path_bytes];
} state;

static LV2_URID urid(state *s, const char *uri) { return s->map->map(s->map->handle, uri); }

static void *find(const LV2_Feature *const *features, const char *uri, bool *is_there) {
  for (int i = 0; features && features[i]; i++)
    if (!strcmp(features[i]->URI, uri)) return *is_there = true, features[i]->data;
  return *is_there = false, NULL;
}

static void *need(state *s, const LV2_Feature *const *features, const char *uri) {
  bool is_there;
  void *data = find(features, uri, &is_there);
  if (!is_there) s->breaches |= feature_missing;
  return data;
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)rate, (void)bundle;
  state *s = calloc(1, sizeof *s);
  s->is_safe = strstr(descriptor->URI, "safe") != NULL;
  s->home = pthread_self();
  s->level = 1;
  s->map = need(s, features, LV2_URID__map);
  s->make = need(s, features, LV2_STATE__makePath);
  need(s, features, LV2_STATE__mapPath);
  need(s, features, LV2_STATE__freePath);
  need(s, features, LV2_STATE__loadDefaultState);
  need(s, features, LV2_STATE__threadSafeRestore);
  if (s->is_safe) s->schedule = need(s, features, LV2_WORKER__schedule);
  lv2_atom_forge_init(&s->forge, s->map);
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void activate(LV2_Handle handle) {
  state *s = handle;
  if (!s->is_safe && !s->was_restored) s->breaches |= active_without_default;
  if (s->is_safe || s->take[0]) return;
  // Creates a separate file, in a directory that does not exist yet.
  char *path = s->make->path(s->make->handle, "takes/1/take.txt");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) fprintf(file, "take"), fclose(file);
  if (path) snprintf(s->take, path_bytes, "%s", path), free(path);
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  s->is_running = true;
  if (s->is_restoring && !s->is_safe) s->breaches |= restored_while_run;
  LV2_Atom_Forge_Frame sequence, object;
  LV2_Atom_Sequence *sent = s->ports[7];
  lv2_atom_forge_set_buffer(&s->forge, s->ports[7], sent->atom.size);
  lv2_atom_forge_sequence_head(&s->forge, &sequence, 0);
  if (*(float *)s->ports[3] > 0.5f) {
    s->level = s->level / 2;
    lv2_atom_forge_frame_time(&s->forge, 0);
    lv2_atom_forge_object(&s->forge, &object, 0, urid(s, LV2_STATE__StateChanged));
    lv2_atom_forge_pop(&s->forge, &object);
  }
  lv2_atom_forge_pop(&s->forge, &sequence);
  const float *in = s->ports[0];
  float *out = s->ports[1];
  for (uint32_t i = 0; i < count; i++) out[i] = in[i] * s->level * *(float *)s->ports[2];
  *(float *)s->ports[4] = (float)s->breaches;
  *(float *)s->ports[5] = (float)s->restores;
  *(float *)s->ports[6] = (float)s->files;
  s->is_running = false;
}

// MARK: - Worker of the variant with thread-safe restore

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle target, uint32_t size, const void *data) {
  state *s = handle;
  if (!s->is_restoring || !pthread_equal(pthread_self(), s->home)) s->breaches |= worked_elsewhere;
  return respond(target, size, data);
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *data) {
  state *s = handle;
  float level;
  if (size == sizeof level) memcpy(&level, data, size), s->level = level;
  return LV2_WORKER_SUCCESS;
}

// MARK: - State

static void store_path(state *s, LV2_State_Store_Function store, LV2_State_Handle target,
                       const LV2_State_Map_Path *map, const LV2_State_Free_Path *release,
                       const char *key, const char *path) {
  if (!path[0]) return;
  char *name = map->abstract_path(map->handle, path);
  store(target, urid(s, key), name, strlen(name) + 1, s->forge.Path, LV2_STATE_IS_POD);
  release->free_path(release->handle, name);
}

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store,
                             LV2_State_Handle target, uint32_t flags,
                             const LV2_Feature *const *features) {
  (void)flags;
  state *s = handle;
  if (!pthread_equal(pthread_self(), s->home)) s->breaches |= wrong_thread;
  if (s->is_restoring) s->breaches |= saved_while_restored;
  const uint32_t plain = LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE;
  const float level = s->level;
  // Some plugins return an error when they have nothing to save; others return it for a failure.
  if (!strcmp(s->word, "nothing")) return LV2_STATE_ERR_UNKNOWN;
  // Others have nothing to save and succeed.
  if (!strcmp(s->word, "empty")) return LV2_STATE_SUCCESS;
  store(target, urid(s, KEY "level"), &level, sizeof level, s->forge.Float, plain);
  if (!strcmp(s->word, "half")) return LV2_STATE_ERR_UNKNOWN;
  if (s->is_safe) return LV2_STATE_SUCCESS;
  const LV2_State_Map_Path *map = need(s, features, LV2_STATE__mapPath);
  const LV2_State_Make_Path *make = need(s, features, LV2_STATE__makePath);
  const LV2_State_Free_Path *release = need(s, features, LV2_STATE__freePath);
  need(s, features, LV2_URID__map);
  store(target, urid(s, KEY "word"), s->word, strlen(s->word) + 1, s->forge.String, plain);
  const char bytes[] = {0, 1, 2, 0, (char)0xff, 0};
  store(target, urid(s, KEY "bytes"), bytes, sizeof bytes, s->forge.Chunk, plain);
  // The host must refuse these values: a pointer, an empty value, a repeated key, and a missing key.
  void *pointer = s;
  if (!store(target, urid(s, KEY "pointer"), &pointer, sizeof pointer, s->forge.Chunk, 0) ||
      !store(target, urid(s, KEY "empty"), bytes, 0, s->forge.Chunk, plain) ||
      !store(target, urid(s, KEY "bytes"), bytes, 1, s->forge.Chunk, plain) ||
      !store(target, 0, bytes, 1, s->forge.Chunk, plain))
    s->breaches |= bad_value_accepted;
  store_path(s, store, target, map, release, KEY "sample", s->sample);
  store_path(s, store, target, map, release, KEY "take", s->take);
  // The same file again, as from a plugin that forgets to map the path.
  if (s->sample[0])
    store(target, urid(s, KEY "forgotten"), s->sample, strlen(s->sample) + 1, s->forge.Path,
          LV2_STATE_IS_POD);
  // A file of this state only. Another file already has its name.
  char *path = make->path(make->handle, "notes/word list.txt");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) fprintf(file, "%s", s->word), fclose(file);
  if (path) store_path(s, store, target, map, release, KEY "notes", path);
  release->free_path(release->handle, path);
  return LV2_STATE_SUCCESS;
}

static unsigned read_path(state *s, LV2_State_Retrieve_Function retrieve, LV2_State_Handle source,
                          const LV2_State_Map_Path *map, const char *key, char *path) {
  // Requests only the value, without size, type and flags. The specification allows that.
  const char *name = retrieve(source, urid(s, key), NULL, NULL, NULL);
  if (!name) return 0;
  char *found = map->absolute_path(map->handle, name);
  snprintf(path, path_bytes, "%s", found);
  free(found);
  return access(path, R_OK) == 0;
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
                                LV2_State_Handle source, uint32_t flags,
                                const LV2_Feature *const *features) {
  (void)flags;
  state *s = handle;
  s->is_restoring = true;
  s->was_restored = true;
  s->restores++;
  if (!pthread_equal(pthread_self(), s->home)) s->breaches |= wrong_thread;
  // Waits long enough for a run to overlap.
  for (int i = 0; i < 20; i++) {
    if (s->is_running && !s->is_safe) s->breaches |= restored_while_run;
    usleep(1000);
  }
  size_t size;
  uint32_t type, value_flags;
  const float *level = retrieve(source, urid(s, KEY "level"), &size, &type, &value_flags);
  if (s->is_safe) {
    const LV2_Worker_Schedule *schedule = need(s, features, LV2_WORKER__schedule);
    if (level) schedule->schedule_work(schedule->handle, sizeof *level, level);
    s->is_restoring = false;
    return LV2_STATE_SUCCESS;
  }
  s->level = level ? *level : 1;
  const char *word = retrieve(source, urid(s, KEY "word"), &size, NULL, &value_flags);
  snprintf(s->word, sizeof s->word, "%s", word ? word : "");
  const LV2_State_Map_Path *map = need(s, features, LV2_STATE__mapPath);
  need(s, features, LV2_STATE__freePath);
  char other[path_bytes];
  s->sample[0] = s->take[0] = 0;
  s->files = read_path(s, retrieve, source, map, KEY "sample", s->sample);
  s->files += read_path(s, retrieve, source, map, KEY "take", s->take);
  s->files += read_path(s, retrieve, source, map, KEY "forgotten", other);
  s->files += read_path(s, retrieve, source, map, KEY "notes", other);
  s->is_restoring = false;
  return strcmp(s->word, "refuse") ? LV2_STATE_SUCCESS : LV2_STATE_ERR_NO_PROPERTY;
}

static const void *extension_data(const char *uri) {
  static const LV2_State_Interface interface = {save, restore};
  static const LV2_Worker_Interface worker = {work, work_response, NULL};
  if (!strcmp(uri, LV2_STATE__interface)) return &interface;
  return strcmp(uri, LV2_WORKER__interface) ? NULL : &worker;
}

static const LV2_Descriptor descriptors[] = {
    {"urn:outboard:test:state", instantiate, connect_port, activate, run, NULL, free,
     extension_data},
    {"urn:outboard:test:safe_state", instantiate, connect_port, activate, run, NULL, free,
     extension_data},
};

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) {
  return index < 2 ? &descriptors[index] : NULL;
}
