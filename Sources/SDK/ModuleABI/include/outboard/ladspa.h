// ladspa.h: adapts a LADSPA plugin. SPDX-License-Identifier: MIT
//
//   OUTBOARD_LADSPA(index)      below the code, which exports `ladspa_descriptor`. A source needs no line for
//                               the first plugin (index 0).
//
// Audio ports are the channels, and control inputs are the parameters, each in order. Names and ranges are those of
// the ports, unless the `// outboard:` comment declares others. A control output named "latency" is reported.
// `reset` deactivates and activates the plugin. `run_adding` is not used.
#pragma once

#include "port.h"

#if __has_include(<ladspa.h>)
#include <ladspa.h>
#else
#include "ladspa_types.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif
extern const LADSPA_Descriptor *ladspa_descriptor(unsigned long index);
#ifdef __cplusplus
}
#endif

typedef struct {
  const LADSPA_Descriptor *descriptor;
  LADSPA_Handle handle;
  float sample_rate_hz;
  uint32_t maximum_frame_count;
  LADSPA_Data *samples;  // buffers for the inputs, which the plugin may write to, channel by channel
  LADSPA_Data *controls; // one for each port of the plugin
  uint32_t latency;
} outboard_ladspa;

/// Whether a port has all of these properties.
static inline int outboard_ladspa_is(const outboard_ladspa *port, unsigned long p, int properties) {
  return (port->descriptor->PortDescriptors[p] & properties) == properties;
}

static inline void outboard_ladspa_activate(outboard_ladspa *port) {
  if (port->descriptor->activate != NULL) port->descriptor->activate(port->handle);
}

static inline void outboard_ladspa_deactivate(outboard_ladspa *port) {
  if (port->descriptor->deactivate != NULL) port->descriptor->deactivate(port->handle);
}

static inline void outboard_ladspa_free(outboard_ladspa *port) {
  if (port->handle != NULL) {
    outboard_ladspa_deactivate(port);
    if (port->descriptor->cleanup != NULL) port->descriptor->cleanup(port->handle);
  }
  free(port->samples);
  free(port->controls);
  free(port);
  outboard_give_back();
}

/// The lower limit of a control, which is safer than 0 if there is no default.
static inline LADSPA_Data outboard_ladspa_start(const outboard_ladspa *port, unsigned long p) {
  const LADSPA_PortRangeHint *hint = &port->descriptor->PortRangeHints[p];
  return LADSPA_IS_HINT_BOUNDED_BELOW(hint->HintDescriptor) ? hint->LowerBound : 0;
}

/// Renders one frame of silence, because the latency is unknown before.
static inline void outboard_ladspa_ask_latency(outboard_ladspa *port) {
  LADSPA_Data silence = 0;
  LADSPA_Data heard[64];
  uint32_t heard_count = 0;
  unsigned long latency = port->descriptor->PortCount;
  for (unsigned long p = 0; p < port->descriptor->PortCount; p++) {
    if (outboard_ladspa_is(port, p, LADSPA_PORT_AUDIO | LADSPA_PORT_OUTPUT))
      port->descriptor->connect_port(port->handle, p, &heard[heard_count++ % 64]);
    else if (outboard_ladspa_is(port, p, LADSPA_PORT_AUDIO))
      port->descriptor->connect_port(port->handle, p, &silence);
    else if (outboard_ladspa_is(port, p, LADSPA_PORT_CONTROL | LADSPA_PORT_OUTPUT) &&
             strstr(port->descriptor->PortNames[p], "latency") != NULL)
      latency = p;
  }
  if (latency == port->descriptor->PortCount) return;
  outboard_ladspa_activate(port);
  port->descriptor->run(port->handle, 1);
  outboard_ladspa_deactivate(port);
  port->latency = (uint32_t)fmaxf(port->controls[latency], 0);
}

static inline outboard_ladspa *outboard_ladspa_make(const LADSPA_Descriptor *descriptor,
                                                    double sample_rate_hz,
                                                    uint32_t maximum_frame_count) {
  if (descriptor == NULL || !outboard_take()) return NULL;
  outboard_ladspa *port = (outboard_ladspa *)calloc(1, sizeof *port);
  if (port == NULL) {
    outboard_give_back();
    return NULL;
  }
  port->descriptor = descriptor;
  port->sample_rate_hz = (float)sample_rate_hz;
  port->maximum_frame_count = maximum_frame_count;
  port->controls = (LADSPA_Data *)calloc(descriptor->PortCount + 1, sizeof(LADSPA_Data));
  port->samples = (LADSPA_Data *)calloc((size_t)maximum_frame_count * (descriptor->PortCount + 1),
                                        sizeof(LADSPA_Data));
  port->handle = descriptor->instantiate(descriptor, (unsigned long)(sample_rate_hz + 0.5));
  if (port->controls == NULL || port->samples == NULL || port->handle == NULL) {
    outboard_ladspa_free(port);
    return NULL;
  }
  for (unsigned long p = 0; p < descriptor->PortCount; p++) {
    if (!outboard_ladspa_is(port, p, LADSPA_PORT_CONTROL)) continue;
    port->controls[p] = outboard_ladspa_start(port, p);
    descriptor->connect_port(port->handle, p, &port->controls[p]);
  }
  outboard_ladspa_ask_latency(port);
  outboard_ladspa_activate(port);
  return port;
}

/// Sets the values, so that `activate` finds them.
static inline void outboard_ladspa_prepare(outboard_ladspa *port, const float *parameters) {
  outboard_ladspa_deactivate(port);
  for (unsigned long p = 0; p < port->descriptor->PortCount; p++)
    if (outboard_ladspa_is(port, p, LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT))
      port->controls[p] = *parameters++;
  outboard_ladspa_ask_latency(port);
  outboard_ladspa_activate(port);
}

static inline void outboard_ladspa_run(outboard_ladspa *port, const float *const *inputs,
                                       float *const *outputs, const float *parameters,
                                       uint32_t frame_count) {
  LADSPA_Data *samples = port->samples;
  for (unsigned long p = 0; p < port->descriptor->PortCount; p++) {
    if (outboard_ladspa_is(port, p, LADSPA_PORT_AUDIO | LADSPA_PORT_OUTPUT)) {
      port->descriptor->connect_port(port->handle, p, *outputs++);
    } else if (outboard_ladspa_is(port, p, LADSPA_PORT_AUDIO)) {
      memcpy(samples, *inputs++, frame_count * sizeof(LADSPA_Data));
      port->descriptor->connect_port(port->handle, p, samples);
      samples += port->maximum_frame_count;
    } else if (outboard_ladspa_is(port, p, LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT)) {
      port->controls[p] = *parameters++;
    }
  }
  port->descriptor->run(port->handle, frame_count);
}

static inline void outboard_ladspa_shape(const outboard_ladspa *port, uint32_t counts[3]) {
  counts[0] = counts[1] = counts[2] = 0;
  for (unsigned long p = 0; p < port->descriptor->PortCount; p++) {
    const int is_audio = outboard_ladspa_is(port, p, LADSPA_PORT_AUDIO);
    const int is_input = outboard_ladspa_is(port, p, LADSPA_PORT_INPUT);
    if (is_audio) counts[is_input ? 0 : 1]++;
    if (!is_audio && is_input) counts[2]++;
  }
}

/// Returns a control's default by its hint.
static inline float outboard_ladspa_default(LADSPA_PortRangeHintDescriptor hint, float low, float high) {
  const LADSPA_PortRangeHintDescriptor kind = hint & LADSPA_HINT_DEFAULT_MASK;
  const float share = kind == LADSPA_HINT_DEFAULT_LOW      ? 0.25f
                      : kind == LADSPA_HINT_DEFAULT_MIDDLE ? 0.5f
                                                           : 0.75f;
  switch (kind) {
  case LADSPA_HINT_DEFAULT_LOW:
  case LADSPA_HINT_DEFAULT_MIDDLE:
  case LADSPA_HINT_DEFAULT_HIGH:
    return LADSPA_IS_HINT_LOGARITHMIC(hint) && low > 0
               ? expf(logf(low) * (1 - share) + logf(high) * share)
               : low * (1 - share) + high * share;
  case LADSPA_HINT_DEFAULT_MAXIMUM: return high;
  case LADSPA_HINT_DEFAULT_0: return 0;
  case LADSPA_HINT_DEFAULT_1: return 1;
  case LADSPA_HINT_DEFAULT_100: return 100;
  case LADSPA_HINT_DEFAULT_440: return 440;
  default: return low > 0 || high < 0 ? low : 0;
  }
}

/// Describes one control.
static inline void outboard_ladspa_describe_control(outboard_description *d, const char *words,
                                                    const LADSPA_PortRangeHint *hint,
                                                    float sample_rate_hz) {
  const LADSPA_PortRangeHintDescriptor is = hint->HintDescriptor;
  const float unit_hz = LADSPA_IS_HINT_SAMPLE_RATE(is) ? sample_rate_hz : 1;
  float low = LADSPA_IS_HINT_BOUNDED_BELOW(is) ? hint->LowerBound * unit_hz : 0;
  float high = LADSPA_IS_HINT_BOUNDED_ABOVE(is) ? hint->UpperBound * unit_hz : fmaxf(low, 0) + 1;
  if (LADSPA_IS_HINT_INTEGER(is)) {
    // Some have integer steps but fractional limits.
    low = ceilf(low);
    high = floorf(high);
  }
  const float start = LADSPA_IS_HINT_INTEGER(is) ? roundf(outboard_ladspa_default(is, low, high))
                                                 : outboard_ladspa_default(is, low, high);
  // Limits of an open range are values that the default does not exceed.
  if (!LADSPA_IS_HINT_BOUNDED_BELOW(is)) low = fminf(low, start);
  if (!LADSPA_IS_HINT_BOUNDED_ABOVE(is)) high = fmaxf(high, 2 * start);
  // Names such as "Decay [ms]" and "Level (dB)" contain units.
  char name[128], unit[16] = "";
  snprintf(name, sizeof name, "%s", words);
  const size_t length = strlen(name);
  char *bracket = strpbrk(name, "[(");
  if (bracket != NULL && bracket > name && strchr("])", name[length - 1]) != NULL &&
      strcspn(bracket + 1, " ])") == strlen(bracket) - 2 && strlen(bracket) - 2 <= 3) {
    snprintf(unit, sizeof unit, "%.*s", (int)strlen(bracket) - 2, bracket + 1);
    do *bracket-- = 0;
    while (bracket > name && *bracket == ' ');
  }
  const char *scale = LADSPA_IS_HINT_TOGGLED(is)       ? "toggle"
                      : LADSPA_IS_HINT_INTEGER(is)     ? "integer"
                      : LADSPA_IS_HINT_LOGARITHMIC(is) ? "logarithmic"
                                                       : NULL;
  const outboard_parameter p = {NULL, name, unit, scale, low, start, high, NULL, 0};
  outboard_describe_parameter(d, p);
}

static inline uint32_t outboard_ladspa_describe(const outboard_ladspa *port, char *text,
                                                uint32_t capacity) {
  uint32_t counts[3];
  outboard_ladspa_shape(port, counts);
  outboard_description d = outboard_describe_channels(text, capacity, counts[0], counts[1]);
  for (unsigned long p = 0; p < port->descriptor->PortCount; p++)
    if (outboard_ladspa_is(port, p, LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT))
      outboard_ladspa_describe_control(&d, port->descriptor->PortNames[p],
                                       &port->descriptor->PortRangeHints[p], port->sample_rate_hz);
  return d.length;
}

#define OUTBOARD_LADSPA(index)                                                                     \
  void *create(double sample_rate_hz, uint32_t maximum_frame_count) {                              \
    return outboard_ladspa_make(ladspa_descriptor(index), sample_rate_hz, maximum_frame_count);    \
  }                                                                                                \
  void destroy(void *state) { outboard_ladspa_free((outboard_ladspa *)state); }                    \
  void outboard_prepare(void *state, const float *parameters) {                                    \
    outboard_ladspa_prepare((outboard_ladspa *)state, parameters);                                 \
  }                                                                                                \
  void reset(void *state) {                                                                        \
    outboard_ladspa_deactivate((outboard_ladspa *)state);                                          \
    outboard_ladspa_activate((outboard_ladspa *)state);                                            \
  }                                                                                                \
  uint32_t latency(const void *state) { return ((const outboard_ladspa *)state)->latency; }        \
  void outboard_port_counts(const void *state, uint32_t counts[3]) {                               \
    outboard_ladspa_shape((const outboard_ladspa *)state, counts);                                 \
  }                                                                                                \
  uint32_t outboard_describe(const void *state, char *text, uint32_t capacity) {                   \
    return outboard_ladspa_describe((const outboard_ladspa *)state, text, capacity);               \
  }                                                                                                \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    outboard_ladspa_run((outboard_ladspa *)state, inputs, outputs, parameters, frame_count);       \
  }
