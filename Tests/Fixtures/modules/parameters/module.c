// Outputs each of its three parameters on a channel: they must be clamped and in manifest order.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (int c = 0; c < 3; c++)
    for (uint32_t i = 0; i < frame_count; i++) outputs[c][i] = parameters[c];
}
