// faust.h: C++ code of Faust, `faust -lang cpp effect.dsp`. SPDX-License-Identifier: MIT
//
//   OUTBOARD_FAUST(Class)
//     the generated class: mydsp, unless `-cn` sets another name
//
// Include this file above the code; a source with only such a class needs no line. Sliders, entries and buttons
// become parameters, in the order in which the code adds them, with their names and ranges. Menus and radio buttons
// become choices, bargraphs become readouts. If the `// outboard:` comment declares parameters, it must use the same
// order.
#pragma once

#include "port.h"

#include <deque>
#include <memory>
#include <string>

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

/// The names and values of a control's style, such as menu{'Short':240;'Long':480}.
struct FaustMenu {
  explicit FaustMenu(const char *style) {
    if (strncmp(style, "menu{", 5) != 0 && strncmp(style, "radio{", 6) != 0) return;
    for (const char *at = strchr(style, '\''); at != nullptr; at = strchr(at, '\'')) {
      const char *end = strchr(at + 1, '\'');
      const char *colon = end == nullptr ? nullptr : strchr(end, ':');
      if (colon == nullptr) break;
      names.emplace_back(at + 1, end);
      values.push_back(FAUSTFLOAT(strtod(colon + 1, nullptr)));
      at = colon;
    }
    for (const auto &name : names) rows.push_back(name.c_str());
  }
  size_t nearest(FAUSTFLOAT value) const {
    size_t best = 0;
    for (size_t i = 1; i < values.size(); i++)
      if (fabs(values[i] - value) < fabs(values[best] - value)) best = i;
    return best;
  }
  std::deque<std::string> names;
  std::vector<FAUSTFLOAT> values;
  std::vector<const char *> rows; // of the names
};

/// A control: the address of its value, and the values of its choices if it has any.
struct FaustControl {
  void set(float value) const {
    *place = menu == nullptr ? FAUSTFLOAT(value) : menu->values[size_t(fminf(fmaxf(value, 0), float(menu->values.size() - 1)))];
  }
  FAUSTFLOAT *place;
  const FaustMenu *menu;
};

/// The code's controls, in order.
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
  void addHorizontalBargraph(const char *name, FAUSTFLOAT *place, FAUSTFLOAT low, FAUSTFLOAT high) override {
    addMeter(name, place, low, high);
  }
  void addVerticalBargraph(const char *name, FAUSTFLOAT *place, FAUSTFLOAT low, FAUSTFLOAT high) override {
    addMeter(name, place, low, high);
  }
  /// Metadata of a control precedes the control.
  void declare(FAUSTFLOAT *place, const char *key, const char *value) override {
    if (place == nullptr) return;
    if (strcmp(key, "unit") == 0) unit = value;
    if (strcmp(key, "scale") == 0 && strcmp(value, "log") == 0) scale = "logarithmic";
    if (strcmp(key, "style") == 0) style = value;
  }
  void add(const char *name, FAUSTFLOAT *place, FAUSTFLOAT start, FAUSTFLOAT low, FAUSTFLOAT high,
           FAUSTFLOAT step) {
    menus.emplace_back(style);
    const FaustMenu &menu = menus.back();
    if (!menu.values.empty()) {
      const float last = float(menu.values.size() - 1);
      return enter({place, &menu}, {nullptr, name, nullptr, "integer", 0, float(menu.nearest(start)), last,
                                    menu.rows.data(), uint32_t(menu.rows.size())});
    }
    const bool is_integer = step == 1 && low == floorf(low) && high == floorf(high) && scale == nullptr;
    enter({place, nullptr}, {nullptr, name, unit, is_integer ? "integer" : scale, low, start, high, nullptr, 0});
  }
  void addToggle(const char *name, FAUSTFLOAT *place) {
    enter({place, nullptr}, {nullptr, name, nullptr, "toggle", 0, *place, 1, nullptr, 0});
  }
  void addMeter(const char *name, FAUSTFLOAT *place, FAUSTFLOAT low, FAUSTFLOAT high) {
    meters.push_back({place, nullptr});
    readouts.push_back({nullptr, name, unit, nullptr, low, low, high, nullptr, 0});
    forget();
  }
  void enter(const FaustControl &control, const outboard_parameter &parameter) {
    controls.push_back(control);
    parameters.push_back(parameter);
    forget();
  }
  void forget() { unit = scale = nullptr, style = ""; }
  std::vector<FaustControl> controls, meters;
  std::vector<outboard_parameter> parameters, readouts; // the code's own texts
  std::deque<FaustMenu> menus;
  const char *unit = nullptr;
  const char *scale = nullptr;
  const char *style = "";
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
    for (const auto &control : controls.controls) control.set(*parameters++);
    // Faust does not use const for inputs.
    effect->compute(int(frame_count), const_cast<FAUSTFLOAT **>(inputs),
                    const_cast<FAUSTFLOAT **>(outputs));
  }
  void shape(uint32_t *counts) const {
    set_shape(counts, size_t(effect->getNumInputs()), size_t(effect->getNumOutputs()),
              controls.controls.size());
  }
  void describe(outboard_description &d) const {
    for (const auto &parameter : controls.parameters) outboard_describe_parameter(&d, parameter);
    for (size_t i = 0; i < controls.readouts.size(); i++) {
      outboard_say(&d, i == 0 ? "readouts: [" : ", ");
      outboard_describe_readout(&d, controls.readouts[i]);
    }
    if (!controls.readouts.empty()) outboard_say(&d, "]\n");
  }
  void read(float *values) const {
    for (const auto &meter : controls.meters) *values++ = float(*meter.place);
  }

private:
  std::unique_ptr<Effect> effect; // on the heap, because it may be large
  FaustControls controls;
};

} // namespace outboard

#define OUTBOARD_FAUST(Class)                                                                      \
  typedef outboard::FaustPort<Class> outboard_port;                                                \
  OUTBOARD_ENTRIES(outboard_port)                                                                  \
  void readouts(const void *state, float *values) {                                                \
    static_cast<const outboard_port *>(state)->read(values);                                       \
  }
