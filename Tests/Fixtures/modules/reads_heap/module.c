// A filter that assumes that malloc() returns zeros.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) { return malloc(4); }
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  float *last = state;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = *last += 0.5f * (inputs[0][i] - *last);
}
