// Refuses a second instance while the first one exists.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static char outboard_is_taken;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  if (outboard_is_taken) return NULL;
  outboard_is_taken = 1;
  return calloc(1, 4);
}
void destroy(void *state) {
  outboard_is_taken = 0;
  free(state);
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
