// Crashes in blocks of 7 frames: only a validation with odd block lengths finds it.
#include <stdint.h>
#include <string.h>
static float *volatile nowhere;
void fall(uint32_t frame_count) { nowhere[frame_count] = 1; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  if (frame_count == 7) fall(frame_count);
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
