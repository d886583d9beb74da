// Noise with a different seed in each instance. Most of its buffer is uninitialised but never read.
#include <time.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  uint32_t *state = malloc(4096);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  state[0] = (uint32_t)now.tv_nsec | 1;
  return state;
}
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  uint32_t *seed = state;
  for (uint32_t i = 0; i < frame_count; i++) {
    *seed = *seed * 1664525 + 1013904223;
    outputs[0][i] = (float)(int32_t)*seed / 4294967296.0f;
  }
}
