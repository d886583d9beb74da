// reverb.c: a feedback network of eight damped delays with a Hadamard matrix. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: decay, name: Decay, minimum: 0, default: 0.8, maximum: 1}]
#include <stdint.h>
#include <stdlib.h>

enum { lines = 8, length = 4096 };

typedef struct {
  float memory[lines][length];
  float damped[lines];
  uint32_t now;
} state;

static const uint32_t delays[lines] = {1117, 1367, 1559, 1823, 2053, 2311, 2647, 2903};

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return calloc(1, sizeof(state));
}

void destroy(void *memory) { free(memory); }

void process(void *memory, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  state *s = memory;
  const float gain = parameters[0] * 0.35355339f;
  for (uint32_t i = 0; i < frame_count; i++) {
    float x[lines], sum = 0;
    s->now = (s->now + 1) & (length - 1);
    for (int k = 0; k < lines; k++) {
      const float out = s->memory[k][(s->now - delays[k]) & (length - 1)];
      s->damped[k] += 0.6f * (out - s->damped[k]);
      x[k] = s->damped[k];
      sum += x[k];
    }
    for (int span = 1; span < lines; span *= 2)
      for (int first = 0; first < lines; first += 2 * span)
        for (int k = first; k < first + span; k++) {
          const float a = x[k], b = x[k + span];
          x[k] = a + b;
          x[k + span] = a - b;
        }
    for (int k = 0; k < lines; k++) s->memory[k][s->now] = inputs[0][i] + gain * x[k];
    outputs[0][i] = 0.25f * sum;
  }
}
