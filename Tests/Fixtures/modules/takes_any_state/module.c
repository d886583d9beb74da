// Accepts any bytes as its state.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) { return calloc(2, 4); }
void destroy(void *state) { free(state); }
uint32_t save(const void *state, void *bytes, uint32_t capacity) {
  if (capacity >= 8) memcpy(bytes, state, 8);
  return 8;
}
int restore(void *state, const void *bytes, uint32_t byte_count) {
  memset(state, 0xff, 8);
  if (byte_count == 8) memcpy(state, bytes, 8);
  return 0;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  float *last = state;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = *last = 0.5f * *last + inputs[0][i];
}
