// chorus.c: a delay modulated by a sine, with cubic interpolation of four samples. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: mix, name: Mix, minimum: 0, default: 0.5, maximum: 1}]
#include <stdint.h>
#include <stdlib.h>

enum { length = 4096 };

typedef struct {
  float line[length];
  uint32_t newest;
  float phase, step;
} state;

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count;
  state *s = calloc(1, sizeof(state));
  s->step = (float)(0.7 / sample_rate_hz);
  return s;
}

void destroy(void *memory) { free(memory); }

void process(void *memory, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  state *s = memory;
  const float mix = parameters[0];
  for (uint32_t i = 0; i < frame_count; i++) {
    const float x = inputs[0][i];
    s->newest = (s->newest + 1) & (length - 1);
    s->line[s->newest] = x;
    s->phase += s->step;
    if (s->phase >= 1) s->phase -= 1;
    // Approximates the sine by a parabola on each half of the cycle.
    const float half = s->phase < 0.5f ? s->phase : s->phase - 0.5f;
    const float arch = 16 * half * (0.5f - half);
    const float age = 400 + 200 * (s->phase < 0.5f ? arch : -arch);
    const int32_t whole = (int32_t)age;
    const float f = age - (float)whole;
    const uint32_t at = s->newest - (uint32_t)whole;
    const float a = s->line[(at + 1) & (length - 1)], b = s->line[at & (length - 1)];
    const float c = s->line[(at - 1) & (length - 1)], d = s->line[(at - 2) & (length - 1)];
    const float wet = b + 0.5f * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
    outputs[0][i] = x + mix * (wet - x);
  }
}
