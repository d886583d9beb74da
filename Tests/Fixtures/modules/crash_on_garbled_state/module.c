// Uses the index in the state without checking it, so a corrupt state makes it crash.
#include <stdint.h>
#include <string.h>
static volatile float values[4];
uint32_t save(const void *state, void *bytes, uint32_t capacity) {
  const uint32_t index = 1;
  if (capacity >= 4) memcpy(bytes, &index, 4);
  return 4;
}
int restore(void *state, const void *bytes, uint32_t byte_count) {
  uint32_t index = 0;
  if (byte_count >= 4) memcpy(&index, bytes, 4);
  values[index] = 1;
  return 0;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
