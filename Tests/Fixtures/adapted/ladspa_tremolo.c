/* ladspa_tremolo.c: a plugin in the style of LADSPA's own examples, with hints. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladspa.h"

#define TREMOLO_FREQ 0
#define TREMOLO_DEPTH 1
#define TREMOLO_GAIN 2
#define TREMOLO_INPUT 3
#define TREMOLO_OUTPUT 4

static LADSPA_Descriptor *tremoloDescriptor = NULL;

typedef struct {
  LADSPA_Data *freq;
  LADSPA_Data *depth;
  LADSPA_Data *gain;
  LADSPA_Data *input;
  LADSPA_Data *output;
  float phase;
  long sample_rate;
  LADSPA_Data run_adding_gain;
} Tremolo;

const LADSPA_Descriptor *ladspa_descriptor(unsigned long index) {
  switch (index) {
  case 0: return tremoloDescriptor;
  default: return NULL;
  }
}

static void activateTremolo(LADSPA_Handle instance) { ((Tremolo *)instance)->phase = 0.0f; }

static void cleanupTremolo(LADSPA_Handle instance) { free(instance); }

static void connectPortTremolo(LADSPA_Handle instance, unsigned long port, LADSPA_Data *data) {
  Tremolo *plugin = (Tremolo *)instance;
  switch (port) {
  case TREMOLO_FREQ: plugin->freq = data; break;
  case TREMOLO_DEPTH: plugin->depth = data; break;
  case TREMOLO_GAIN: plugin->gain = data; break;
  case TREMOLO_INPUT: plugin->input = data; break;
  case TREMOLO_OUTPUT: plugin->output = data; break;
  }
}

static LADSPA_Handle instantiateTremolo(const LADSPA_Descriptor *descriptor, unsigned long s_rate) {
  Tremolo *plugin_data = (Tremolo *)malloc(sizeof(Tremolo));
  plugin_data->phase = 0.0f;
  plugin_data->sample_rate = s_rate;
  plugin_data->run_adding_gain = 1.0f;
  return (LADSPA_Handle)plugin_data;
}

static void runTremolo(LADSPA_Handle instance, unsigned long sample_count) {
  Tremolo *plugin_data = (Tremolo *)instance;
  const LADSPA_Data freq = *(plugin_data->freq);
  const LADSPA_Data depth = *(plugin_data->depth);
  const LADSPA_Data gain = powf(10.0f, *(plugin_data->gain) * 0.05f);
  const LADSPA_Data *const input = plugin_data->input;
  LADSPA_Data *const output = plugin_data->output;
  float phase = plugin_data->phase;
  unsigned long pos;

  for (pos = 0; pos < sample_count; pos++) {
    output[pos] = input[pos] * gain * (1.0f - depth * 0.5f * (1.0f - cosf(phase)));
    phase += 6.2831853f * freq / plugin_data->sample_rate;
    if (phase > 6.2831853f) phase -= 6.2831853f;
  }
  plugin_data->phase = phase;
}

/* As the linker of old called it when a library was loaded. */
void _init() {
  char **port_names;
  LADSPA_PortDescriptor *port_descriptors;
  LADSPA_PortRangeHint *port_range_hints;

  tremoloDescriptor = (LADSPA_Descriptor *)malloc(sizeof(LADSPA_Descriptor));
  if (tremoloDescriptor) {
    memset(tremoloDescriptor, 0, sizeof(LADSPA_Descriptor));
    tremoloDescriptor->UniqueID = 4242;
    tremoloDescriptor->Label = "tremolo";
    tremoloDescriptor->Properties = LADSPA_PROPERTY_HARD_RT_CAPABLE;
    tremoloDescriptor->Name = "Tremolo";
    tremoloDescriptor->Maker = "test";
    tremoloDescriptor->Copyright = "None";
    tremoloDescriptor->PortCount = 5;

    port_descriptors = (LADSPA_PortDescriptor *)calloc(5, sizeof(LADSPA_PortDescriptor));
    tremoloDescriptor->PortDescriptors = (const LADSPA_PortDescriptor *)port_descriptors;
    port_range_hints = (LADSPA_PortRangeHint *)calloc(5, sizeof(LADSPA_PortRangeHint));
    tremoloDescriptor->PortRangeHints = (const LADSPA_PortRangeHint *)port_range_hints;
    port_names = (char **)calloc(5, sizeof(char *));
    tremoloDescriptor->PortNames = (const char **)port_names;

    port_descriptors[TREMOLO_FREQ] = LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL;
    port_names[TREMOLO_FREQ] = (char *)"LFO frequency (Hz)";
    port_range_hints[TREMOLO_FREQ].HintDescriptor = LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE |
                                                    LADSPA_HINT_DEFAULT_LOW | LADSPA_HINT_LOGARITHMIC;
    port_range_hints[TREMOLO_FREQ].LowerBound = 0.1;
    port_range_hints[TREMOLO_FREQ].UpperBound = 20;

    port_descriptors[TREMOLO_DEPTH] = LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL;
    port_names[TREMOLO_DEPTH] = (char *)"Depth";
    port_range_hints[TREMOLO_DEPTH].HintDescriptor =
        LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE | LADSPA_HINT_DEFAULT_0;
    port_range_hints[TREMOLO_DEPTH].LowerBound = 0;
    port_range_hints[TREMOLO_DEPTH].UpperBound = 1;

    port_descriptors[TREMOLO_GAIN] = LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL;
    port_names[TREMOLO_GAIN] = (char *)"Gain [dB]";
    port_range_hints[TREMOLO_GAIN].HintDescriptor =
        LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE | LADSPA_HINT_DEFAULT_0;
    port_range_hints[TREMOLO_GAIN].LowerBound = -70;
    port_range_hints[TREMOLO_GAIN].UpperBound = 70;

    port_descriptors[TREMOLO_INPUT] = LADSPA_PORT_INPUT | LADSPA_PORT_AUDIO;
    port_names[TREMOLO_INPUT] = (char *)"Input";
    port_descriptors[TREMOLO_OUTPUT] = LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO;
    port_names[TREMOLO_OUTPUT] = (char *)"Output";

    tremoloDescriptor->activate = activateTremolo;
    tremoloDescriptor->cleanup = cleanupTremolo;
    tremoloDescriptor->connect_port = connectPortTremolo;
    tremoloDescriptor->instantiate = instantiateTremolo;
    tremoloDescriptor->run = runTremolo;
  }
}

void _fini() {
  if (tremoloDescriptor) {
    free((LADSPA_PortDescriptor *)tremoloDescriptor->PortDescriptors);
    free((char **)tremoloDescriptor->PortNames);
    free((LADSPA_PortRangeHint *)tremoloDescriptor->PortRangeHints);
    free(tremoloDescriptor);
  }
}
