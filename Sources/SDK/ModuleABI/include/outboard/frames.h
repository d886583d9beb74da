// frames.h: codecs and denoisers with a fixed frame length. SPDX-License-Identifier: MIT
//
//   OUTBOARD_FRAMES(State, length, scale, channel_count, parameter_count, make, set, run, unmake)
//
//   State *make(double sample_rate_hz)                   one per channel; NULL on failure
//   void set(State *, const float *parameters)           after a parameter change, or outboard_none
//   void run(State *, float *output, const float *input)     `length` samples; its result is ignored
//   void unmake(State *)
//
// `scale` is the value of a full-scale sample in the algorithm: 1, or 32768 for 16-bit code. The host
// collects blocks of the length, which the `// outboard:` comment must also declare: block: {fixed: 480}.
// It reports that latency. The algorithm's own latency is OUTBOARD_LATENCY. `reset` renders silence,
// OUTBOARD_FRAMES_SILENCE frames of the algorithm (default 2), and then calls
// OUTBOARD_CLEAR.
#pragma once

#include "port.h"

#ifndef OUTBOARD_FRAMES_SILENCE
#define OUTBOARD_FRAMES_SILENCE 2 // frames of silence that clear its state
#endif

#define OUTBOARD_FRAMES(State, length, scale, channel_count, parameter_count, make, set, run,      \
                        unmake)                                                                    \
  typedef struct {                                                                                 \
    State *states[channel_count];                                                                  \
    float input[length];                                                                           \
    float output[length];                                                                          \
    float last[(parameter_count) + 1];                                                             \
  } outboard_port;                                                                                 \
  void destroy(void *state) {                                                                      \
    outboard_port *port = (outboard_port *)state;                                                  \
    for (uint32_t c = 0; c < (channel_count); c++)                                                 \
      if (port->states[c] != NULL) unmake(port->states[c]);                                        \
    free(port);                                                                                    \
    outboard_give_back();                                                                          \
  }                                                                                                \
  void *create(double sample_rate_hz, uint32_t maximum_frame_count) {                              \
    /* Without `block: {fixed: ...}` blocks of any length would come. */                           \
    if (maximum_frame_count % (length) != 0 || !outboard_take()) return NULL;                      \
    outboard_port *port = (outboard_port *)calloc(1, sizeof *port);                                \
    if (port == NULL) {                                                                            \
      outboard_give_back();                                                                        \
      return NULL;                                                                                 \
    }                                                                                              \
    for (uint32_t c = 0; c < (channel_count); c++) {                                               \
      port->states[c] = make(sample_rate_hz);                                                      \
      if (port->states[c] != NULL) continue;                                                       \
      destroy(port);                                                                               \
      return NULL;                                                                                 \
    }                                                                                              \
    outboard_forget(port->last, parameter_count);                                                  \
    return port;                                                                                   \
  }                                                                                                \
  void reset(void *state) {                                                                        \
    outboard_port *port = (outboard_port *)state;                                                  \
    memset(port->input, 0, sizeof port->input);                                                    \
    for (uint32_t c = 0; c < (channel_count); c++)                                                 \
      for (uint32_t i = 0; i < OUTBOARD_FRAMES_SILENCE; i++)                                       \
        (void)run(port->states[c], port->output, port->input);                                     \
    for (uint32_t c = 0; c < (channel_count); c++) OUTBOARD_CLEAR(port->states[c]);                \
    outboard_forget(port->last, parameter_count);                                                  \
  }                                                                                                \
  uint32_t latency(const void *state) {                                                            \
    (void)state;                                                                                   \
    return OUTBOARD_LATENCY;                                                                       \
  }                                                                                                \
  OUTBOARD_SHAPE(channel_count, channel_count, parameter_count)                                    \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    outboard_port *port = (outboard_port *)state;                                                  \
    const float gain = (float)(scale);                                                             \
    if (outboard_has_changed(port->last, parameters, parameter_count))                             \
      for (uint32_t c = 0; c < (channel_count); c++) set(port->states[c], parameters);             \
    for (uint32_t c = 0; c < (channel_count); c++) {                                               \
      uint32_t start = 0;                                                                          \
      for (; start + (length) <= frame_count; start += (length)) {                                 \
        for (uint32_t i = 0; i < (length); i++) port->input[i] = inputs[c][start + i] * gain;      \
        (void)run(port->states[c], port->output, port->input);                                     \
        for (uint32_t i = 0; i < (length); i++) outputs[c][start + i] = port->output[i] / gain;    \
      }                                                                                            \
      /* Less than a frame is not given, where the manifest fixes the block. */                    \
      for (; start < frame_count; start++) outputs[c][start] = 0;                                  \
    }                                                                                              \
  }
