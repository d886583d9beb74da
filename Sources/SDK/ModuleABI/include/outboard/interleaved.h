// interleaved.h: effects that process interleaved frames in place. SPDX-License-Identifier: MIT
//
//   OUTBOARD_INTERLEAVED_FLOAT(State, channel_count, parameter_count, init, set, run)
//     void run(State *, float *frames, uint32_t frame_count)       -1 to 1
//   OUTBOARD_INTERLEAVED_INT16(State, channel_count, parameter_count, init, set, run)
//     void run(State *, int16_t *frames, uint32_t frame_count)     rounded and clamped to 16 bits
//
// `init` and `set` are those of tick.h. Code with separate input and output buffers needs a short `run`
// function that calls it.
#pragma once

#include "tick.h"

/// Converts a sample to the format of the code, and back. [render]
static inline float outboard_float_from(float sample) { return sample; }
static inline int16_t outboard_int16_from(float sample) {
  const float scaled = sample * 32768;
  // NaN becomes silence.
  if (!(scaled > -32768)) return scaled <= -32768 ? INT16_MIN : 0;
  return scaled >= 32767 ? INT16_MAX : (int16_t)lrintf(scaled);
}
static inline float outboard_from_float(float sample) { return sample; }
static inline float outboard_from_int16(int16_t sample) { return sample / 32768.0f; }

#define OUTBOARD_INTERLEAVED_FLOAT(State, channel_count, parameter_count, init, set, run)          \
  OUTBOARD_INTERLEAVED(State, float, outboard_float_from, outboard_from_float, channel_count,      \
                       parameter_count, init, set, run)

#define OUTBOARD_INTERLEAVED_INT16(State, channel_count, parameter_count, init, set, run)          \
  OUTBOARD_INTERLEAVED(State, int16_t, outboard_int16_from, outboard_from_int16, channel_count,    \
                       parameter_count, init, set, run)

#define OUTBOARD_INTERLEAVED_FRAMES 256 // copied at once, so that they stay in the cache

#define OUTBOARD_INTERLEAVED(State, Sample, from, to, channel_count, parameter_count, init, set,   \
                             run)                                                                  \
  OUTBOARD_TICK_ENTRIES(State, 1, parameter_count, init, set)                                      \
  OUTBOARD_SHAPE(channel_count, channel_count, parameter_count)                                    \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    outboard_port *port = (outboard_port *)state;                                                  \
    Sample frames[OUTBOARD_INTERLEAVED_FRAMES * (channel_count)];                                  \
    outboard_set(port, parameters);                                                                \
    for (uint32_t start = 0; start < frame_count; start += OUTBOARD_INTERLEAVED_FRAMES) {          \
      const uint32_t rest = frame_count - start;                                                   \
      const uint32_t count = rest < OUTBOARD_INTERLEAVED_FRAMES ? rest                             \
                                                                : OUTBOARD_INTERLEAVED_FRAMES;     \
      for (uint32_t i = 0; i < count; i++)                                                         \
        for (uint32_t c = 0; c < (channel_count); c++)                                             \
          frames[i * (channel_count) + c] = from(inputs[c][start + i]);                            \
      run(&port->states[0], frames, count);                                                        \
      for (uint32_t i = 0; i < count; i++)                                                         \
        for (uint32_t c = 0; c < (channel_count); c++)                                             \
          outputs[c][start + i] = to(frames[i * (channel_count) + c]);                             \
    }                                                                                              \
  }
