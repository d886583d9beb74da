// tick.h: effects with one call per sample. SPDX-License-Identifier: MIT
//
// Put one of these lines below the code. `State` is a struct or class of the code. It is zeroed (C) or
// default-constructed (C++).
//
//   OUTBOARD_TICK(State, channel_count, parameter_count, init, set, tick)
//     one State per channel:       float tick(State *, float input)
//   OUTBOARD_TICK_STEREO(State, parameter_count, init, set, tick)
//     one State for both:          void tick(State *, float *left, float *right)   in place
//   OUTBOARD_TICK_FUNCTION(channel_count, tick)
//     no state, no parameters:     float tick(float input)
//
//   void init(State *, double sample_rate_hz)        once; may allocate memory
//   void set(State *, const float *parameters)       after a parameter change, and before the first tick
//
// Each may be a function, a macro, a C++ lambda, or `outboard_none`. `reset` restores the state after
// `init`. For a C++ class that is not trivially copyable it calls `reset()`, `clear()` or `mute()`. For
// memory that a C struct points to, see OUTBOARD_CLEAR and OUTBOARD_RELEASE in port.h.
#pragma once

#include "port.h"

#define OUTBOARD_TICK_ENTRIES(State, state_count, parameter_count, init, set)                      \
  typedef struct {                                                                                 \
    State states[state_count];                                                                     \
    OUTBOARD_FRESH(State) fresh[state_count];                                                      \
    float last[(parameter_count) + 1];                                                             \
  } outboard_port;                                                                                 \
  void *create(double sample_rate_hz, uint32_t maximum_frame_count) {                              \
    (void)maximum_frame_count;                                                                     \
    if (!(sample_rate_hz > 0) || !outboard_take()) return NULL;                                    \
    OUTBOARD_TRY                                                                                   \
    outboard_port *port = OUTBOARD_NEW(outboard_port);                                             \
    if (port == NULL) {                                                                            \
      outboard_give_back();                                                                        \
      return NULL;                                                                                 \
    }                                                                                              \
    for (uint32_t s = 0; s < (state_count); s++) {                                                 \
      init(&port->states[s], sample_rate_hz);                                                      \
      OUTBOARD_KEEP(port->fresh[s], port->states[s]);                                              \
    }                                                                                              \
    outboard_forget(port->last, parameter_count);                                                  \
    return port;                                                                                   \
    OUTBOARD_ELSE_NULL                                                                             \
  }                                                                                                \
  void destroy(void *state) {                                                                      \
    outboard_port *port = (outboard_port *)state;                                                  \
    for (uint32_t s = 0; s < (state_count); s++) OUTBOARD_RELEASE(&port->states[s]);               \
    OUTBOARD_DELETE(port);                                                                         \
    outboard_give_back();                                                                          \
  }                                                                                                \
  void reset(void *state) {                                                                        \
    outboard_port *port = (outboard_port *)state;                                                  \
    for (uint32_t s = 0; s < (state_count); s++) {                                                 \
      OUTBOARD_PUT_BACK(port->states[s], port->fresh[s]);                                          \
      OUTBOARD_CLEAR(&port->states[s]);                                                            \
    }                                                                                              \
    outboard_forget(port->last, parameter_count);                                                  \
  }                                                                                                \
  uint32_t latency(const void *state) {                                                            \
    (void)state;                                                                                   \
    return OUTBOARD_LATENCY;                                                                       \
  }                                                                                                \
  static inline void outboard_set(outboard_port *port, const float *parameters) {                  \
    if (!outboard_has_changed(port->last, parameters, parameter_count)) return;                    \
    for (uint32_t s = 0; s < (state_count); s++) set(&port->states[s], parameters);                \
  }

#define OUTBOARD_TICK(State, channel_count, parameter_count, init, set, tick)                      \
  OUTBOARD_TICK_ENTRIES(State, channel_count, parameter_count, init, set)                          \
  OUTBOARD_SHAPE(channel_count, channel_count, parameter_count)                                    \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    outboard_port *port = (outboard_port *)state;                                                  \
    outboard_set(port, parameters);                                                                \
    for (uint32_t c = 0; c < (channel_count); c++)                                                 \
      for (uint32_t i = 0; i < frame_count; i++)                                                   \
        outputs[c][i] = (float)tick(&port->states[c], inputs[c][i]);                               \
  }

#define OUTBOARD_TICK_STEREO(State, parameter_count, init, set, tick)                              \
  OUTBOARD_TICK_ENTRIES(State, 1, parameter_count, init, set)                                      \
  OUTBOARD_SHAPE(2, 2, parameter_count)                                                            \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    outboard_port *port = (outboard_port *)state;                                                  \
    outboard_set(port, parameters);                                                                \
    for (uint32_t i = 0; i < frame_count; i++) {                                                   \
      float left = inputs[0][i];                                                                   \
      float right = inputs[1][i];                                                                  \
      tick(&port->states[0], &left, &right);                                                       \
      outputs[0][i] = left;                                                                        \
      outputs[1][i] = right;                                                                       \
    }                                                                                              \
  }

#define OUTBOARD_TICK_FUNCTION(channel_count, tick)                                                \
  OUTBOARD_SHAPE(channel_count, channel_count, 0)                                                  \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    (void)state;                                                                                   \
    (void)parameters;                                                                              \
    for (uint32_t c = 0; c < (channel_count); c++)                                                 \
      for (uint32_t i = 0; i < frame_count; i++) outputs[c][i] = (float)tick(inputs[c][i]);        \
  }
