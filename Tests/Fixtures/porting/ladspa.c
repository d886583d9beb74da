// outboard:
//   inputs: 1
//   outputs: 1
//   parameters:
//     - {symbol: amount, name: Amount, minimum: 0, default: 0.6, maximum: 1}
//     - {symbol: invert, name: Invert, scale: toggle}
#include <ladspa.h>
#include <stdlib.h>

// The original plugin for LADSPA.

enum { AMOUNT, INVERT, INPUT, OUTPUT, PORT_COUNT };

typedef struct {
  LADSPA_Data *ports[PORT_COUNT];
  LADSPA_Data previous;
} Brighten;

static LADSPA_Handle instantiate(const LADSPA_Descriptor *descriptor, unsigned long rate) {
  (void)descriptor;
  (void)rate;
  return calloc(1, sizeof(Brighten));
}

static void connect_port(LADSPA_Handle handle, unsigned long port, LADSPA_Data *data) {
  ((Brighten *)handle)->ports[port] = data;
}

static void activate(LADSPA_Handle handle) { ((Brighten *)handle)->previous = 0; }

static void run(LADSPA_Handle handle, unsigned long count) {
  Brighten *brighten = handle;
  const LADSPA_Data amount = *brighten->ports[AMOUNT];
  const LADSPA_Data sign = *brighten->ports[INVERT] > 0 ? -1 : 1;
  for (unsigned long i = 0; i < count; i++) {
    const LADSPA_Data x = brighten->ports[INPUT][i];
    brighten->ports[OUTPUT][i] = sign * (x - amount * brighten->previous);
    brighten->previous = x;
  }
}

static const LADSPA_PortDescriptor port_kinds[] = {
    LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT, LADSPA_PORT_CONTROL | LADSPA_PORT_INPUT,
    LADSPA_PORT_AUDIO | LADSPA_PORT_INPUT, LADSPA_PORT_AUDIO | LADSPA_PORT_OUTPUT};
static const char *const port_names[] = {"Amount", "Invert", "Input", "Output"};
static const LADSPA_PortRangeHint port_ranges[] = {
    {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE, 0, 1},
    {LADSPA_HINT_TOGGLED, 0, 1},
    {0, 0, 0},
    {0, 0, 0}};
static const LADSPA_Descriptor brighten = {
    .UniqueID = 1, .Label = "brighten", .Name = "Brighten", .Maker = "", .Copyright = "None",
    .PortCount = PORT_COUNT, .PortDescriptors = port_kinds, .PortNames = port_names,
    .PortRangeHints = port_ranges, .instantiate = instantiate, .connect_port = connect_port,
    .activate = activate, .run = run, .cleanup = free};

const LADSPA_Descriptor *ladspa_descriptor(unsigned long index) {
  return index == 0 ? &brighten : NULL;
}

// The adapter.

#include <outboard/ladspa.h>
OUTBOARD_LADSPA(0)
