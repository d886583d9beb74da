// Reports a latency of more than a day, and counts whether it is destroyed.
#include <stdint.h>
uint32_t destroyed_count = 0;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) { return &destroyed_count; }
void destroy(void *state) { destroyed_count++; }
uint32_t latency(const void *state) { return UINT32_MAX; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i];
}
