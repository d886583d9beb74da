// Leaks 50 MB with each instance.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  char *state = malloc(50 << 20);
  state[0] = 1;
  return state;
}
void destroy(void *state) {}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
