// Keeps a frame count as state and has no `reset`: the host must work without it.
#include <stdint.h>
#include <stdlib.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  return calloc(1, sizeof(uint32_t));
}
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  uint32_t *count = state;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = (float)++*count;
}
