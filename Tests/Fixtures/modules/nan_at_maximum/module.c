// Divides by zero if its parameter is 1.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  const float part = (1 - parameters[0]) / (1 - parameters[0]);
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i] * part;
}
