// faust.h: C++ code of Faust, `faust -lang cpp effect.dsp`. SPDX-License-Identifier: MIT
//
//   OUTBOARD_FAUST(Class)
//     the generated class: mydsp, unless `-cn` sets another name
//
// Include this file above the code. Sliders, entries and buttons become parameters, in the order in which
// the code adds them, with their names and ranges. Meters are ignored. If the `// outboard:` comment
// declares parameters, it must use the same order.
#pragma once

#include "port.h"

#include <memory>

#ifndef FAUSTFLOAT
#define FAUSTFLOAT float
#endif

// Declarations that the code expects.

struct Soundfile;
struct Meta {
  virtual ~Meta() {}
  virtual void declare(const char *, const char *) {}
};
struct UI {
  virtual ~UI() {}
  virtual void openTabBox(const char *) {}
  virtual void openHorizontalBox(const char *) {}
  virtual void openVerticalBox(const char *) {}
  virtual void closeBox() {}
  virtual void declare(FAUSTFLOAT *, const char *, const char *) {}
  virtual void addButton(const char *, FAUSTFLOAT *) {}
  virtual void addCheckButton(const char *, FAUSTFLOAT *) {}
  virtual void addVerticalSlider(const char *, FAUSTFLOAT *, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                                 FAUSTFLOAT) {}
  virtual void addHorizontalSlider(const char *, FAUSTFLOAT *, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                                   FAUSTFLOAT) {}
  virtual void addNumEntry(const char *, FAUSTFLOAT *, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                           FAUSTFLOAT) {}
  virtual void addHorizontalBargraph(const char *, FAUSTFLOAT *, FAUSTFLOAT, FAUSTFLOAT) {}
  virtual void addVerticalBargraph(const char *, FAUSTFLOAT *, FAUSTFLOAT, FAUSTFLOAT) {}
  virtual void addSoundfile(const char *, const char *, Soundfile **) {}
};
class dsp {
public:
  virtual ~dsp() {}
};

namespace outboard {

/// The addresses of the code's controls, in order.
struct FaustControls : UI {
  void addButton(const char *name, FAUSTFLOAT *place) override { addToggle(name, place); }
  void addCheckButton(const char *name, FAUSTFLOAT *place) override { addToggle(name, place); }
  void addVerticalSlider(const char *name, FAUSTFLOAT *place, FAUSTFLOAT start, FAUSTFLOAT low,
                         FAUSTFLOAT high, FAUSTFLOAT step) override {
    add(name, place, start, low, high, step);
  }
  void addHorizontalSlider(const char *name, FAUSTFLOAT *place, FAUSTFLOAT start, FAUSTFLOAT low,
                           FAUSTFLOAT high, FAUSTFLOAT step) override {
    add(name, place, start, low, high, step);
  }
  void addNumEntry(const char *name, FAUSTFLOAT *place, FAUSTFLOAT start, FAUSTFLOAT low,
                   FAUSTFLOAT high, FAUSTFLOAT step) override {
    add(name, place, start, low, high, step);
  }
  /// Metadata of a control precedes the control.
  void declare(FAUSTFLOAT *place, const char *key, const char *value) override {
    if (place == nullptr) return;
    if (strcmp(key, "unit") == 0) unit = value;
    if (strcmp(key, "scale") == 0 && strcmp(value, "log") == 0) scale = "logarithmic";
  }
  void add(const char *name, FAUSTFLOAT *place, FAUSTFLOAT start, FAUSTFLOAT low, FAUSTFLOAT high,
           FAUSTFLOAT step) {
    const bool is_integer = step == 1 && low == floorf(low) && high == floorf(high) && high - low < 64;
    enter(place, {nullptr, name, unit, is_integer ? "integer" : scale, low, start, high, nullptr,
                  0});
  }
  void addToggle(const char *name, FAUSTFLOAT *place) {
    enter(place, {nullptr, name, nullptr, "toggle", 0, *place, 1, nullptr, 0});
  }
  void enter(FAUSTFLOAT *place, const outboard_parameter &parameter) {
    places.push_back(place);
    parameters.push_back(parameter);
    unit = scale = nullptr;
  }
  std::vector<FAUSTFLOAT *> places;
  std::vector<outboard_parameter> parameters; // the code's own texts
  const char *unit = nullptr;
  const char *scale = nullptr;
};

/// A module around a class of Faust.
template <class Effect> class FaustPort : public Port {
  static_assert(sizeof(FAUSTFLOAT) == sizeof(float), "the host's samples are floats");

public:
  FaustPort(double sample_rate_hz, uint32_t) : effect(new Effect()) {
    effect->init(int(lrint(sample_rate_hz)));
    effect->buildUserInterface(&controls);
  }
  void reset() { effect->instanceClear(); }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    for (FAUSTFLOAT *place : controls.places) *place = *parameters++;
    // Faust does not use const for inputs.
    effect->compute(int(frame_count), const_cast<FAUSTFLOAT **>(inputs),
                    const_cast<FAUSTFLOAT **>(outputs));
  }
  void shape(uint32_t *counts) const {
    set_shape(counts, size_t(effect->getNumInputs()), size_t(effect->getNumOutputs()),
              controls.places.size());
  }
  void describe(outboard_description &d) const {
    for (const auto &parameter : controls.parameters) outboard_describe_parameter(&d, parameter);
  }

private:
  std::unique_ptr<Effect> effect; // on the heap, because it may be large
  FaustControls controls;
};

} // namespace outboard

#define OUTBOARD_FAUST(Class)                                                                      \
  typedef outboard::FaustPort<Class> outboard_port;                                                \
  OUTBOARD_ENTRIES(outboard_port)
