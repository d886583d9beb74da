// faust.h: C++ that Faust writes, `faust -lang cpp effect.dsp`. SPDX-License-Identifier: MIT
//
//   OUTBOARD_FAUST(Class)
//     the class that was written: mydsp, unless `-cn` named it otherwise
//
// To be included above the code. Its sliders, entries and buttons are the parameters, in the order in
// which it adds them to its user interface; meters are left out. Whoever has them in another order in the
// `// outboard:` comment has the wrong knobs.
#pragma once

#include "port.h"

#include <memory>

#ifndef FAUSTFLOAT
#define FAUSTFLOAT float
#endif

// What the code expects to be declared.

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

/// Where the code keeps the values of its controls, in the order in which it tells of them.
struct FaustControls : UI {
  void addButton(const char *, FAUSTFLOAT *place) override { add(place); }
  void addCheckButton(const char *, FAUSTFLOAT *place) override { add(place); }
  void addVerticalSlider(const char *, FAUSTFLOAT *place, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                         FAUSTFLOAT) override {
    add(place);
  }
  void addHorizontalSlider(const char *, FAUSTFLOAT *place, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                           FAUSTFLOAT) override {
    add(place);
  }
  void addNumEntry(const char *, FAUSTFLOAT *place, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT,
                   FAUSTFLOAT) override {
    add(place);
  }
  void add(FAUSTFLOAT *place) { places.push_back(place); }
  std::vector<FAUSTFLOAT *> places;
};

/// A module around a class that Faust wrote.
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
    // Faust has no const for what it only reads.
    effect->compute(int(frame_count), const_cast<FAUSTFLOAT **>(inputs),
                    const_cast<FAUSTFLOAT **>(outputs));
  }
  void shape(uint32_t *counts) const {
    set_shape(counts, size_t(effect->getNumInputs()), size_t(effect->getNumOutputs()),
              controls.places.size());
  }

private:
  std::unique_ptr<Effect> effect; // may be too large for anything but memory of its own
  FaustControls controls;
};

} // namespace outboard

#define OUTBOARD_FAUST(Class)                                                                      \
  typedef outboard::FaustPort<Class> outboard_port;                                                \
  OUTBOARD_ENTRIES(outboard_port)
