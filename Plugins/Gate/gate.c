// gate.c: a stereo noise gate. SPDX-License-Identifier: MIT
//
// The louder channel's peak, of the sound itself or of the side chain, opens the gate when it reaches the threshold;
// when it has stayed below the threshold less the hysteresis for the hold time, the gate closes. It opens in a straight line
// of gain, over the attack, and closes in a straight line of decibels, over the release, down to the
// range: as a room's own decay would, without a corner that clicks. While it is open every bit passes.
//
// Nothing of Outboard is included here: six functions under their plain names are all that this module is.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Constants

static const double detector_seconds = 0.005; // in which a held peak falls by 63 %
static const double glide_seconds = 0.005;    // in which the range follows its parameter by 63 %

// Parameters, in the order of the manifest

// The values that coefficients come of; then the key, which says what is listened to: the sound itself, or from 0.5
// on the side chain.
enum { THRESHOLD, HYSTERESIS, ATTACK, HOLD, RELEASE, RANGE, VALUE_COUNT, KEY = VALUE_COUNT };

// State

typedef struct {
  // Parameters as last set, without the key.
  float parameters[VALUE_COUNT];
  int is_fresh;
  // Coefficients derived from them.
  float open_level;    // linear; at or above it the gate opens
  float close_level;   // linear; below it the hold time runs
  uint32_t hold_count; // frames
  double attack_step;  // of gain, each frame
  double release_factor; // of gain, each frame
  double floor_target; // linear gain of a closed gate
  // Running state.
  double floor; // follows its target
  double gain;  // linear
  float peak;   // linear
  uint32_t held; // frames that the gate will stay open
  int is_open;
  float least; // gain in the last block, linear
  // Derived once.
  double sample_rate_hz;
  double glide_factor;
  float detector_factor;
} Gate;

// Pure helpers

static double gain_of(double decibels) { return pow(10, decibels / 20); }

static double frames_of(double milliseconds, double sample_rate_hz) {
  return fmax(milliseconds / 1000 * sample_rate_hz, 1);
}

/// Returns the fraction of a distance that is left after one frame of exponential approach.
static double rest_of(double seconds, double sample_rate_hz) {
  return exp(-1 / (seconds * sample_rate_hz));
}

/// The louder of two samples; what is not a number counts as silence.
static float louder(float left, float right) {
  const float l = fabsf(left);
  const float r = fabsf(right);
  return l > r ? l : (r > 0 ? r : 0);
}

// Parameters to coefficients

static void update(Gate *gate, const float *parameters) {
  const double rate = gate->sample_rate_hz;
  memcpy(gate->parameters, parameters, sizeof gate->parameters);
  gate->open_level = (float)gain_of(parameters[THRESHOLD]);
  gate->close_level = (float)gain_of((double)parameters[THRESHOLD] - parameters[HYSTERESIS]);
  gate->hold_count = (uint32_t)(parameters[HOLD] / 1000 * rate + 0.5);
  gate->floor_target = gain_of(parameters[RANGE]);
  gate->attack_step = (1 - gate->floor_target) / frames_of(parameters[ATTACK], rate);
  gate->release_factor = pow(gate->floor_target, 1 / frames_of(parameters[RELEASE], rate));
  if (!gate->is_fresh) return;
  gate->floor = gate->floor_target;
  gate->gain = gate->floor;
  gate->peak = 0;
  gate->held = 0;
  gate->is_open = 0;
  gate->is_fresh = 0;
}

/// Decides whether the gate is open, from the peak of one frame.
static void listen(Gate *gate, float peak) {
  const float fallen = gate->peak * gate->detector_factor;
  gate->peak = peak > fallen ? peak : (fallen > 1e-10f ? fallen : 0);
  if (gate->peak >= gate->open_level || (gate->is_open && gate->peak >= gate->close_level)) {
    gate->is_open = 1;
    gate->held = gate->hold_count;
  } else if (gate->held > 0) {
    gate->held -= 1;
  } else {
    gate->is_open = 0;
  }
}

/// Moves the gain by one frame and returns it.
static double advance(Gate *gate) {
  const double distance = gate->floor - gate->floor_target;
  gate->floor = fabs(distance) > 1e-7 ? gate->floor_target + distance * gate->glide_factor
                                      : gate->floor_target;
  if (gate->is_open) {
    const double raised = gate->gain + gate->attack_step;
    gate->gain = raised < 1 ? raised : 1;
  } else {
    const double lowered = gate->gain * gate->release_factor;
    gate->gain = lowered > gate->floor ? lowered : gate->floor;
  }
  return gate->gain;
}

// Entry points

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count;
  if (!(sample_rate_hz > 0)) return NULL;
  Gate *gate = calloc(1, sizeof *gate);
  if (gate == NULL) return NULL;
  gate->sample_rate_hz = sample_rate_hz;
  gate->glide_factor = rest_of(glide_seconds, sample_rate_hz);
  gate->detector_factor = (float)rest_of(detector_seconds, sample_rate_hz);
  gate->is_fresh = 1;
  return gate;
}

void destroy(void *state) { free(state); }

void reset(void *state) { ((Gate *)state)->is_fresh = 1; }

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  Gate *stored = state;
  if (stored->is_fresh || memcmp(stored->parameters, parameters, sizeof stored->parameters) != 0)
    update(stored, parameters);
  Gate gate = *stored;
  gate.least = 1;
  const float *const *heard = parameters[KEY] < 0.5f ? inputs : inputs + 2;
  for (uint32_t i = 0; i < frame_count; i++) {
    const float left = inputs[0][i];
    const float right = inputs[1][i];
    listen(&gate, louder(heard[0][i], heard[1][i]));
    const float gain = (float)advance(&gate);
    if (gain < gate.least) gate.least = gain;
    outputs[0][i] = left * gain;
    outputs[1][i] = right * gain;
  }
  *stored = gate;
}

/// How far the sound is turned down in dB, the most of the last block.
void readouts(const void *state, float *values) {
  const float least = ((const Gate *)state)->least;
  values[0] = least > 0 && least < 1 ? -20 * log10f(least) : 0;
}
