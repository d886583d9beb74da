// Variables with the names of optional functions: the host must treat the functions as absent, and not call them.
#include <stdint.h>
int create = 1, reset = 2;
float latency = 3;
char save[16] = {4}, restore[16] = {5};
_Thread_local int midi = 6;
const double destroy = 7;
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = state ? 99 : 0.5f * inputs[0][i];
}
