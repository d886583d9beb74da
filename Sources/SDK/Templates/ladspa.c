// Effect: a tremolo as a LADSPA plugin. Replace it with your code, or use #include "yours.c".
// Edit and save: the running session reloads it.
//
//   outboard run effect.c                      from the microphone
//   outboard validate ./effect.c               test it
//
// The comment below is the manifest. Channels are the audio ports. Parameters are the control inputs.
// Both are in the order of the ports.

// outboard:
//   inputs: 1
//   outputs: 1
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <ladspa.h>
#include <math.h>
#include <stdlib.h>

enum { RATE, DEPTH, INPUT, OUTPUT, PORT_COUNT };

typedef struct {
  LADSPA_Data *ports[PORT_COUNT];
  double sample_rate_hz;
  double phase; // 0 to 1
} Effect;

// Creates an instance, on the main thread. Allocate all memory here.
static LADSPA_Handle instantiate(const LADSPA_Descriptor *descriptor, unsigned long rate) {
  (void)descriptor;
  Effect *effect = calloc(1, sizeof *effect);
  if (effect != NULL) effect->sample_rate_hz = (double)rate;
  return effect;
}

static void connect_port(LADSPA_Handle handle, unsigned long port, LADSPA_Data *data) {
  ((Effect *)handle)->ports[port] = data;
}

// Clears the signal state.
static void activate(LADSPA_Handle handle) { ((Effect *)handle)->phase = 0; }

// Renders a block, on the audio thread: no allocation, locks or file access.
static void run(LADSPA_Handle handle, unsigned long count) {
  Effect *effect = handle;
  const double step = *effect->ports[RATE] / effect->sample_rate_hz;
  const double depth = *effect->ports[DEPTH];
  for (unsigned long i = 0; i < count; i++) {
    const double gain = 1 - depth * (0.5 - 0.5 * cos(6.283185307179586 * effect->phase));
    effect->ports[OUTPUT][i] = (LADSPA_Data)(effect->ports[INPUT][i] * gain);
    effect->phase += step;
    if (effect->phase >= 1) effect->phase -= 1;
  }
}

static const LADSPA_PortDescriptor kinds[PORT_COUNT] = {
    [RATE] = LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT,
    [DEPTH] = LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT,
    [INPUT] = LADSPA_PORT_AUDIO | LADSPA_PORT_INPUT,
    [OUTPUT] = LADSPA_PORT_AUDIO | LADSPA_PORT_OUTPUT};
static const char *const names[PORT_COUNT] = {"Rate", "Depth", "Input", "Output"};
static const LADSPA_PortRangeHint ranges[PORT_COUNT] = {
    [RATE] = {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE, 0.1f, 20},
    [DEPTH] = {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE, 0, 1}};
static const LADSPA_Descriptor effect_descriptor = {
    .Label = "effect", .Name = "Effect", .Maker = "", .Copyright = "None",
    .PortCount = PORT_COUNT, .PortDescriptors = kinds, .PortNames = names, .PortRangeHints = ranges,
    .instantiate = instantiate, .connect_port = connect_port, .activate = activate, .run = run,
    .cleanup = free};

const LADSPA_Descriptor *ladspa_descriptor(unsigned long index) {
  return index == 0 ? &effect_descriptor : NULL;
}

// Exports `create`, `process` and the other functions for the plugin with this index.
#include <outboard/ladspa.h>
OUTBOARD_LADSPA(0)
