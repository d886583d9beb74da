// Exports only `process`: it must work and get `state == NULL`. It halves its input.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = state ? 99 : 0.5f * inputs[0][i];
}
