// ladspa_pan.cpp: a C++ plugin that registers itself when it is loaded. SPDX-License-Identifier: MIT
#include <ladspa.h>

#include <cstring>
#include <vector>

namespace {

class Pan {
public:
  LADSPA_Data *ports[4];
  static LADSPA_Handle instantiate(const LADSPA_Descriptor *, unsigned long) { return new Pan; }
  static void connect(LADSPA_Handle handle, unsigned long port, LADSPA_Data *data) {
    static_cast<Pan *>(handle)->ports[port] = data;
  }
  static void run(LADSPA_Handle handle, unsigned long count) {
    Pan *pan = static_cast<Pan *>(handle);
    const LADSPA_Data right = *pan->ports[3];
    for (unsigned long i = 0; i < count; i++) {
      pan->ports[1][i] = pan->ports[0][i] * (1 - right);
      pan->ports[2][i] = pan->ports[0][i] * right;
    }
  }
  static void cleanup(LADSPA_Handle handle) { delete static_cast<Pan *>(handle); }
};

const LADSPA_PortDescriptor kinds[] = {
    LADSPA_PORT_INPUT | LADSPA_PORT_AUDIO, LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO,
    LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO, LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL};
const char *const names[] = {"In", "Left", "Right", "Position"};
const LADSPA_PortRangeHint hints[] = {
    {0, 0, 0},
    {0, 0, 0},
    {0, 0, 0},
    {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE | LADSPA_HINT_DEFAULT_MIDDLE, 0, 1}};

struct Registry {
  std::vector<LADSPA_Descriptor> all;
  Registry() {
    LADSPA_Descriptor d;
    memset(&d, 0, sizeof d);
    d.UniqueID = 4243, d.Label = "pan", d.Name = "Pan", d.Maker = "test", d.Copyright = "None";
    d.PortCount = 4, d.PortDescriptors = kinds, d.PortNames = names, d.PortRangeHints = hints;
    d.instantiate = Pan::instantiate, d.connect_port = Pan::connect, d.run = Pan::run, d.cleanup = Pan::cleanup;
    all.push_back(d);
  }
};
Registry registry;

} // namespace

extern "C" {
const LADSPA_Descriptor *ladspa_descriptor(unsigned long index) {
  return index < registry.all.size() ? &registry.all[index] : nullptr;
}
}
