// filters.c: eight second-order filters in series, transposed direct form II. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: b0, name: B0, minimum: 0, default: 0.9, maximum: 1}]
#include <stdint.h>
#include <stdlib.h>

enum { stages = 8 };

typedef struct {
  float s1[stages], s2[stages];
} state;

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return calloc(1, sizeof(state));
}

void destroy(void *memory) { free(memory); }

void process(void *memory, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  state *s = memory;
  const float b0 = parameters[0], b1 = -1.2f, b2 = 0.5f, a1 = -1.3f, a2 = 0.45f;
  for (uint32_t i = 0; i < frame_count; i++) {
    float x = inputs[0][i];
    for (int k = 0; k < stages; k++) {
      float y = b0 * x + s->s1[k];
      s->s1[k] = b1 * x - a1 * y + s->s2[k];
      s->s2[k] = b2 * x - a2 * y;
      x = y;
    }
    outputs[0][i] = x;
  }
}
