// paths.c: the files of a module as properties of LV2 state. SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/// The host's path mapping, so that projects can be moved; NULL if not offered.
typedef struct {
  const LV2_State_Map_Path *map;
  const LV2_State_Free_Path *release;
} path_turner;

static path_turner find_turner(const LV2_Feature *const *features) {
  path_turner found = {0};
  for (; features && *features; features++) {
    if (strcmp((*features)->URI, LV2_STATE__mapPath) == 0) found.map = (*features)->data;
    if (strcmp((*features)->URI, LV2_STATE__freePath) == 0) found.release = (*features)->data;
  }
  return found;
}

static void release(const path_turner *turner, char *path) {
  if (turner->release) {
    turner->release->free_path(turner->release->handle, path);
  } else {
    free(path);
  }
}

LV2_State_Status paths_save(instance *it, LV2_State_Store_Function store,
                            LV2_State_Handle receiver, const LV2_Feature *const *features) {
  path_turner turner = find_turner(features);
  LV2_State_Status status = LV2_STATE_SUCCESS;
  for (uint32_t file = 0; file < it->files.count && status == LV2_STATE_SUCCESS; file++) {
    const char *path = it->files.newest->paths[file];
    if (!path) continue;
    char *turned = turner.map ? turner.map->abstract_path(turner.map->handle, path) : NULL;
    const char *kept = turned ? turned : path;
    status = store(receiver, it->files.keys[file], kept, strlen(kept) + 1, it->files.forge.Path,
                   LV2_STATE_IS_POD | (turned ? LV2_STATE_IS_PORTABLE : 0));
    if (turned) release(&turner, turned);
  }
  return status;
}

/// Returns the path of a file in a state (free it); NULL if there is none.
static char *restored(instance *it, uint32_t file, LV2_State_Retrieve_Function retrieve,
                      LV2_State_Handle giver, const path_turner *turner) {
  size_t size = 0;
  uint32_t type = 0, flags = 0;
  const char *given = retrieve(giver, it->files.keys[file], &size, &type, &flags);
  if (!given || type != it->files.forge.Path) return NULL;
  char *path = strndup(given, size);
  if (!path || !*path || !turner->map) return path;
  char *turned = turner->map->absolute_path(turner->map->handle, path);
  if (!turned) return path;
  free(path);
  path = strdup(turned);
  release(turner, turned);
  return path;
}

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

LV2_State_Status paths_restore(instance *it, LV2_State_Retrieve_Function retrieve,
                               LV2_State_Handle giver, const LV2_Feature *const *features) {
  path_turner turner = find_turner(features);
  char **paths = calloc(it->files.count + 1, sizeof *paths);
  if (!paths) return LV2_STATE_ERR_UNKNOWN;
  bool is_other = false, is_done = true;
  for (uint32_t file = 0; file < it->files.count; file++) {
    paths[file] = restored(it, file, retrieve, giver, &turner);
    if (paths[file] && !*paths[file]) {
      free(paths[file]);
      paths[file] = NULL;
    }
    is_other = is_other || !is_same(paths[file], it->files.newest->paths[file]);
  }
  if (is_other) is_done = files_exchange(it, paths);
  if (!is_done) atomic_store_explicit(&it->files.is_refused, true, memory_order_relaxed);
  for (uint32_t file = 0; file < it->files.count; file++) free(paths[file]);
  free(paths);
  return is_done ? LV2_STATE_SUCCESS : LV2_STATE_ERR_UNKNOWN;
}
