// Effect: a tremolo in C. Edit and save: the running session reloads it.
//
//   outboard run effect.c                      from the microphone
//   outboard render effect.c -i in.wav -o out.wav
//   outboard validate ./effect.c               test it
//
// The comment below is the manifest. Parameters are passed to `process` in this order.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// Parameters, in the order of the comment

enum { RATE, DEPTH };

// State that the effect keeps from one block to the next.

typedef struct {
  double sample_rate_hz;
  double phase; // 0 to 1
} Effect;

// Creates an instance, on the main thread. Allocate all memory and read files here.
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count; // the longest block
  Effect *effect = calloc(1, sizeof *effect);
  if (effect == NULL) return NULL;
  effect->sample_rate_hz = sample_rate_hz;
  return effect;
}

// Destroys an instance, on the main thread.
void destroy(void *state) { free(state); }

// Clears the signal state, on the audio thread.
void reset(void *state) { ((Effect *)state)->phase = 0; }

// Renders a block, on the audio thread: no malloc, printf, locks or file access. Write every output
// sample. A block may have any length.
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  Effect *effect = state;
  const double step = parameters[RATE] / effect->sample_rate_hz;
  for (uint32_t i = 0; i < frame_count; i++) {
    const float wave = 0.5f - 0.5f * cosf(6.2831853f * (float)effect->phase);
    const float gain = 1 - parameters[DEPTH] * wave;
    outputs[0][i] = inputs[0][i] * gain;
    outputs[1][i] = inputs[1][i] * gain;
    effect->phase += step;
    if (effect->phase >= 1) effect->phase -= 1;
  }
}
