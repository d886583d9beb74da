// Reads a table of which only one half is initialised.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  volatile float table[256];
  for (int i = 0; i < 128; i++) table[i] = 1;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i] * table[(i * 2) % 256];
}
