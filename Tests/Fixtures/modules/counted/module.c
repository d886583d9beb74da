// Counts its instances: each must be created and destroyed once, in the one library that all share.
#include <stdint.h>
#include <stdlib.h>
uint32_t created_count = 0, destroyed_count = 0, reset_count = 0;
double last_sample_rate_hz = 0;
uint32_t last_maximum_frame_count = 0;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  float *number = malloc(sizeof *number);
  *number = (float)++created_count;
  last_sample_rate_hz = sample_rate_hz;
  last_maximum_frame_count = maximum_frame_count;
  return number;
}
void destroy(void *state) {
  destroyed_count++;
  free(state);
}
void reset(void *state) { reset_count++; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = *(const float *)state;
}
