// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: time, name: Time, unit: ms, minimum: 1, default: 250, maximum: 1000}
//     - {symbol: mix, name: Mix, minimum: 0, default: 0.4, maximum: 1, smoothing: 20 ms}

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double sample_rate_hz;
  uint32_t length;   // of each buffer, in frames
  uint32_t position; // of the next frame
  float *memory[2];
} Echo;

void destroy(void *state) {
  Echo *echo = state;
  for (int c = 0; c < 2; c++) free(echo->memory[c]);
  free(echo);
}

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count;
  Echo *echo = calloc(1, sizeof *echo);
  if (echo == NULL) return NULL;
  echo->sample_rate_hz = sample_rate_hz;
  echo->length = (uint32_t)sample_rate_hz + 1;
  for (int c = 0; c < 2; c++) {
    echo->memory[c] = calloc(echo->length, sizeof(float));
    if (echo->memory[c] != NULL) continue;
    destroy(echo);
    return NULL;
  }
  return echo;
}

void reset(void *state) {
  Echo *echo = state;
  for (int c = 0; c < 2; c++) memset(echo->memory[c], 0, echo->length * sizeof(float));
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  Echo *echo = state;
  const uint32_t delay = (uint32_t)(parameters[0] / 1000 * echo->sample_rate_hz);
  const float mix = parameters[1];
  for (uint32_t i = 0; i < frame_count; i++) {
    const uint32_t from = (echo->position + echo->length - delay) % echo->length;
    for (int c = 0; c < 2; c++) {
      echo->memory[c][echo->position] = inputs[c][i];
      outputs[c][i] = inputs[c][i] + mix * echo->memory[c][from];
    }
    echo->position = (echo->position + 1) % echo->length;
  }
}
