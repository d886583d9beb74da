// state.c: the state and files of a module as properties of LV2 state. SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"

void hold(instance *it) {
  int expected = HOLD_FREE;
  while (!atomic_compare_exchange_strong_explicit(&it->holder, &expected, HOLD_HELD,
                                                  memory_order_acquire, memory_order_relaxed)) {
    expected = HOLD_FREE;
    usleep(20);
  }
}

void let_go(instance *it) {
  atomic_store_explicit(&it->holder, HOLD_FREE, memory_order_release);
}

// MARK: - Saving

static LV2_State_Status save_memory(instance *it, LV2_State_Store_Function store,
                                    LV2_State_Handle receiver) {
  if (!it->files.newest->functions.save) return LV2_STATE_SUCCESS;
  uint32_t byte_count;
  hold(it);
  void *bytes = module_save(it->files.newest, &byte_count);
  let_go(it);
  if (!bytes) return LV2_STATE_ERR_UNKNOWN;
  LV2_State_Status status = store(receiver, it->state_key, bytes, byte_count, it->chunk_type,
                                  LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
  free(bytes);
  return status;
}

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store,
                             LV2_State_Handle receiver, uint32_t flags,
                             const LV2_Feature *const *features) {
  (void)flags;
  instance *it = handle;
  if (it->state_key == 0) return LV2_STATE_ERR_NO_FEATURE;
  pthread_mutex_lock(&it->files.turn);
  LV2_State_Status status = save_memory(it, store, receiver);
  LV2_State_Status others = paths_save(it, store, receiver, features);
  pthread_mutex_unlock(&it->files.turn);
  return status ? status : others;
}

// MARK: - Restoring

static LV2_State_Status restore_memory(instance *it, LV2_State_Retrieve_Function retrieve,
                                       LV2_State_Handle giver) {
  module *newest = it->files.newest;
  if (!newest->functions.restore) return LV2_STATE_SUCCESS;
  size_t size = 0;
  uint32_t type = 0, given_flags = 0;
  const void *given = retrieve(giver, it->state_key, &size, &type, &given_flags);
  if (!given) return LV2_STATE_ERR_NO_PROPERTY;
  if (type != it->chunk_type || size > UINT32_MAX - 1) return LV2_STATE_ERR_BAD_TYPE;
  // Aligned like memory of the module's own host, and with an address even if it is empty.
  void *bytes = malloc(size + 1);
  if (!bytes) return LV2_STATE_ERR_UNKNOWN;
  memcpy(bytes, given, size);
  hold(it);
  // Otherwise `activate` would reset the restored state.
  if (!it->is_active && newest->has_run) {
    if (newest->functions.reset) newest->functions.reset(newest->state);
    newest->has_run = false;
  }
  int refusal = newest->functions.restore(newest->state, bytes, (uint32_t)size);
  let_go(it);
  free(bytes);
  return refusal ? LV2_STATE_ERR_UNKNOWN : LV2_STATE_SUCCESS;
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
                                LV2_State_Handle giver, uint32_t flags,
                                const LV2_Feature *const *features) {
  (void)flags;
  instance *it = handle;
  if (it->state_key == 0) return LV2_STATE_ERR_NO_FEATURE;
  pthread_mutex_lock(&it->files.turn);
  // Files first, because another file needs another module, which then restores the state.
  LV2_State_Status others = paths_restore(it, retrieve, giver, features);
  LV2_State_Status status = restore_memory(it, retrieve, giver);
  pthread_mutex_unlock(&it->files.turn);
  return status ? status : others;
}

const LV2_State_Interface state_interface = {save, restore};
