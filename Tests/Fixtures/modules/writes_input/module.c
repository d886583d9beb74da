// Writes to its input, although its manifest does not allow in-place processing.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) {
    outputs[0][i] = inputs[0][i];
    ((float *)inputs[0])[i] = 0.5f;
  }
}
