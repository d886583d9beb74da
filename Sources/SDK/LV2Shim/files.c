// files.c: re-creates modules for new files, outside the audio thread. SPDX-License-Identifier: MIT
//
// The counterpart of hot_swap.c. Only the host's worker or a thread that restores a state calls it, one at a time.
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/// Frees modules that are no longer active.
static void collect(instance *it) {
  // Pairs with the release store in hot_swap.c.
  module_free(atomic_exchange_explicit(&it->swap.gone, NULL, memory_order_acquire), &it->terms);
}

static bool give_all(instance *it, module *fresh, char *const *paths) {
  for (uint32_t file = 0; file < it->files.count; file++)
    if (paths[file] && !module_give(fresh, &it->terms, file, paths[file], &it->host)) return false;
  if (fresh->latency_frames == it->files.newest->latency_frames) return true;
  log_error(&it->host, "the files would change the latency of the module");
  return false;
}

/// Transfers the state of the active module to the new one, if the new one accepts it.
static void carry_over(instance *it, module *fresh) {
  if (!fresh->functions.save || !fresh->functions.restore) return;
  uint32_t byte_count;
  hold(it);
  void *bytes = module_save(it->files.newest, &byte_count);
  let_go(it);
  if (bytes) fresh->functions.restore(fresh->state, bytes, byte_count);
  free(bytes);
}

bool files_exchange(instance *it, char *const *paths) {
  collect(it);
  module *fresh = module_make(&it->terms, &it->host);
  if (!fresh || !give_all(it, fresh, paths)) {
    module_free(fresh, &it->terms);
    return false;
  }
  carry_over(it, fresh);
  it->files.newest = fresh;
  // Pairs with the acquire exchange in hot_swap.c. A module that was not active yet is dropped.
  module_free(atomic_exchange_explicit(&it->swap.wanted, fresh, memory_order_acq_rel), &it->terms);
  return true;
}

// MARK: - The worker

static void exchange_one(instance *it, uint32_t file, char *path) {
  char *now = it->files.newest->paths[file];
  if (strcmp(now ? now : "", path) == 0) return;
  char **paths = calloc(it->files.count + 1, sizeof *paths);
  if (!paths) return;
  memcpy(paths, it->files.newest->paths, it->files.count * sizeof *paths);
  paths[file] = *path ? path : NULL;
  if (!files_exchange(it, paths))
    atomic_store_explicit(&it->files.is_refused, true, memory_order_relaxed);
  free(paths);
}

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle responder, uint32_t size,
                              const void *data) {
  (void)respond, (void)responder;
  instance *it = handle;
  file_request request;
  if (size < sizeof request.file || size > sizeof request) return LV2_WORKER_ERR_UNKNOWN;
  memcpy(&request, data, size);
  pthread_mutex_lock(&it->files.turn);
  if (request.file < it->files.count) {
    exchange_one(it, request.file, request.path);
  } else {
    collect(it);
  }
  pthread_mutex_unlock(&it->files.turn);
  atomic_store_explicit(&it->files.is_working, false, memory_order_relaxed);
  return LV2_WORKER_SUCCESS;
}

/// The audio thread polls by itself.
static LV2_Worker_Status take_response(LV2_Handle handle, uint32_t size, const void *data) {
  (void)handle, (void)size, (void)data;
  return LV2_WORKER_SUCCESS;
}

const LV2_Worker_Interface worker_interface = {work, take_response, NULL};
