// Writes past the end of the longest block.
#include <stdint.h>
#include <string.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
  if (frame_count == 1024) outputs[0][1024] = 0;
}
