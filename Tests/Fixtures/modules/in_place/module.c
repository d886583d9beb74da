// Adds 1 to each sample, or 101 if input and output share a buffer.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++)
    outputs[0][i] = inputs[0][i] + (inputs[0] == outputs[0] ? 101 : 1);
}
