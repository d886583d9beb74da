// Writes one frame too many if the buffer has room for it.
#include <stdint.h>
#include <string.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
  if (frame_count < 1000) outputs[0][frame_count] = 0;
}
