// Leaks a table of 10 kB with each instance.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { float *table; } state;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  state *s = calloc(1, sizeof(state));
  s->table = calloc(2500, sizeof(float));
  return s;
}
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
