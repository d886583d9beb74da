// Works only at 48 kHz in blocks of 480 frames, as denoisers do: `create` refuses any other setting.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { block = 480 };
uint32_t destroyed_count = 0;
double last_sample_rate_hz = 0;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  if (sample_rate_hz != 48000 || maximum_frame_count != block) return NULL;
  last_sample_rate_hz = sample_rate_hz;
  return calloc(1, sizeof(float));
}
void destroy(void *state) {
  destroyed_count++;
  free(state);
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  // In a block of another length, the output is far too loud.
  for (uint32_t i = 0; i < frame_count; i++)
    outputs[0][i] = frame_count == block ? inputs[0][i] : 100;
}
