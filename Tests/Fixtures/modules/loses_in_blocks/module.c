// Leaks a buffer of 10 kB with each block.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { float *buffer; } state;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  return calloc(1, sizeof(state));
}
void destroy(void *state) { free(state); }
void process(void *instance, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  state *s = instance;
  s->buffer = calloc(2500, sizeof(float));
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
