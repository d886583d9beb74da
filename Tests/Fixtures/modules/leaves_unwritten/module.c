// Renders in steps of four frames, and does not write the rest of the block.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i + 3 < frame_count; i += 4) {
    for (uint32_t j = i; j < i + 4; j++) outputs[0][j] = inputs[0][j];
  }
}
