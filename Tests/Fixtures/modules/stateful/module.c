// module.c: counts the blocks that it has rendered, and detects calls that overlap. SPDX-License-Identifier: MIT
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// How often `save`, `restore` or `process` ran at the same time as another of them.
int collisions;
// The number of calls of `save`.
int saves;

typedef struct {
  uint64_t block_count;
  atomic_int users;
} keeper;

static void enter(keeper *k) {
  if (atomic_fetch_add(&k->users, 1) != 0) __atomic_fetch_add(&collisions, 1, __ATOMIC_SEQ_CST);
}

static void leave(keeper *k) { atomic_fetch_sub(&k->users, 1); }

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return calloc(1, sizeof(keeper));
}

void destroy(void *state) { free(state); }

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  (void)parameters;
  enter(state);
  ((keeper *)state)->block_count++;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i] / 2;
  leave(state);
}

uint32_t save(const void *state, void *bytes, uint32_t capacity) {
  keeper *k = (keeper *)state;
  enter(k);
  saves++;
  if (capacity >= sizeof k->block_count) memcpy(bytes, &k->block_count, sizeof k->block_count);
  leave(k);
  return sizeof k->block_count;
}

int restore(void *state, const void *bytes, uint32_t byte_count) {
  keeper *k = state;
  if (byte_count != sizeof k->block_count) return 1;
  enter(k);
  memcpy(&k->block_count, bytes, byte_count);
  leave(k);
  return 0;
}
