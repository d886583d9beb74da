// state.c: what a module remembers, as a property of LV2's state. SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"

/// Waits until no block is rendered; the next one is left out if it begins before `let_go`.
static void hold(instance *it) {
  int expected = HOLD_FREE;
  while (!atomic_compare_exchange_strong_explicit(&it->hold, &expected, HOLD_HELD,
                                                  memory_order_acquire, memory_order_relaxed)) {
    expected = HOLD_FREE;
    usleep(20);
  }
}

static void let_go(instance *it) {
  atomic_store_explicit(&it->hold, HOLD_FREE, memory_order_release);
}

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store,
                             LV2_State_Handle receiver, uint32_t flags,
                             const LV2_Feature *const *features) {
  (void)flags, (void)features;
  instance *it = handle;
  if (!it->functions.save) return LV2_STATE_SUCCESS;
  if (it->state_key == 0) return LV2_STATE_ERR_NO_FEATURE;
  hold(it);
  uint32_t needed = it->functions.save(it->state, NULL, 0);
  // A byte more, so that an empty state has an address.
  void *bytes = malloc((size_t)needed + 1);
  uint32_t written = bytes ? it->functions.save(it->state, bytes, needed) : 0;
  let_go(it);
  LV2_State_Status status = LV2_STATE_ERR_UNKNOWN;
  // Half a state would be worse than none.
  if (bytes && written <= needed)
    status = store(receiver, it->state_key, bytes, written, it->chunk_type,
                   LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
  free(bytes);
  return status;
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
                                LV2_State_Handle giver, uint32_t flags,
                                const LV2_Feature *const *features) {
  (void)flags, (void)features;
  instance *it = handle;
  if (!it->functions.restore) return LV2_STATE_SUCCESS;
  if (it->state_key == 0) return LV2_STATE_ERR_NO_FEATURE;
  size_t size = 0;
  uint32_t type = 0, given_flags = 0;
  const void *given = retrieve(giver, it->state_key, &size, &type, &given_flags);
  if (!given) return LV2_STATE_ERR_NO_PROPERTY;
  if (type != it->chunk_type || size > UINT32_MAX - 1) return LV2_STATE_ERR_BAD_TYPE;
  // Aligned as memory of the module's own host is, and with an address where it is empty.
  void *bytes = malloc(size + 1);
  if (!bytes) return LV2_STATE_ERR_UNKNOWN;
  memcpy(bytes, given, size);
  hold(it);
  // `activate` would otherwise reset what is restored here.
  if (!it->is_active && it->has_run) {
    if (it->functions.reset) it->functions.reset(it->state);
    it->has_run = false;
  }
  int refusal = it->functions.restore(it->state, bytes, (uint32_t)size);
  let_go(it);
  free(bytes);
  return refusal ? LV2_STATE_ERR_UNKNOWN : LV2_STATE_SUCCESS;
}

const LV2_State_Interface state_interface = {save, restore};
