// Effect: a tremolo in C, to begin with. Change anything and save: it is heard at once.
//
//   outboard run effect.c                      from the microphone
//   outboard render effect.c -i in.wav -o out.wav
//   outboard validate ./effect.c               test it
//
// The comment below says what the module is. Parameters come to `process` in this order.

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

// State: all that the effect remembers from one block to the next.

typedef struct {
  double sample_rate_hz;
  double phase; // 0 to 1
} Effect;

// Makes an instance, on the main thread. The only place that takes memory: buffers go here, files too.
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count; // no block is longer
  Effect *effect = calloc(1, sizeof *effect);
  if (effect == NULL) return NULL;
  effect->sample_rate_hz = sample_rate_hz;
  return effect;
}

// Frees what `create` made, on the main thread.
void destroy(void *state) { free(state); }

// Goes back to silence, on the audio thread: as if it had just been made.
void reset(void *state) { ((Effect *)state)->phase = 0; }

// Renders a block, on the audio thread: no malloc, no printf, no locks, no files. Every sample of every
// output is written. A block may have any length.
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
