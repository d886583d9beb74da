// faust_menu.cpp: a class as the Faust compiler writes it. SPDX-License-Identifier: MIT

#ifndef  __mydsp_H__
#define  __mydsp_H__

#ifndef FAUSTFLOAT
#define FAUSTFLOAT float
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <math.h>

#ifndef FAUSTCLASS
#define FAUSTCLASS mydsp
#endif

#ifdef __APPLE__
#define exp10f __exp10f
#define exp10 __exp10
#endif

#if defined(_WIN32)
#define RESTRICT __restrict
#else
#define RESTRICT __restrict__
#endif

class mydsp : public dsp {

 private:

  FAUSTFLOAT fVslider0;
  FAUSTFLOAT fCheckbox0;
  FAUSTFLOAT fHslider0;
  FAUSTFLOAT fHbargraph0;
  int fSampleRate;

 public:
  mydsp() {
  }

  mydsp(const mydsp&) = default;

  virtual ~mydsp() = default;

  mydsp& operator=(const mydsp&) = default;

  void metadata(Meta* m) {
    m->declare("filename", "menu.dsp");
    m->declare("name", "menu");
  }

  virtual int getNumInputs() {
    return 1;
  }
  virtual int getNumOutputs() {
    return 1;
  }

  static void classInit(int sample_rate) {
  }

  virtual void instanceConstants(int sample_rate) {
    fSampleRate = sample_rate;
  }

  virtual void instanceResetUserInterface() {
    fVslider0 = FAUSTFLOAT(4.8e+02f);
    fCheckbox0 = FAUSTFLOAT(0.0f);
    fHslider0 = FAUSTFLOAT(3.0f);
  }

  virtual void instanceClear() {
  }

  virtual void init(int sample_rate) {
    classInit(sample_rate);
    instanceInit(sample_rate);
  }

  virtual void instanceInit(int sample_rate) {
    instanceConstants(sample_rate);
    instanceResetUserInterface();
    instanceClear();
  }

  virtual mydsp* clone() {
    return new mydsp();
  }

  virtual int getSampleRate() {
    return fSampleRate;
  }

  virtual void buildUserInterface(UI* ui_interface) {
    ui_interface->openVerticalBox("menu");
    ui_interface->declare(&fVslider0, "style", "menu{'Short':240;'Long':480}");
    ui_interface->addVerticalSlider("Time", &fVslider0, FAUSTFLOAT(4.8e+02f), FAUSTFLOAT(0.0f), FAUSTFLOAT(1e+03f), FAUSTFLOAT(1.0f));
    ui_interface->addCheckButton("Invert", &fCheckbox0);
    ui_interface->addHorizontalSlider("Order", &fHslider0, FAUSTFLOAT(3.0f), FAUSTFLOAT(1.0f), FAUSTFLOAT(1e+02f), FAUSTFLOAT(1.0f));
    ui_interface->declare(&fHbargraph0, "unit", "ms");
    ui_interface->addHorizontalBargraph("Shown", &fHbargraph0, FAUSTFLOAT(0.0f), FAUSTFLOAT(1e+03f));
    ui_interface->closeBox();
  }

  virtual void compute(int count, FAUSTFLOAT** RESTRICT inputs, FAUSTFLOAT** RESTRICT outputs) {
    FAUSTFLOAT* input0 = inputs[0];
    FAUSTFLOAT* output0 = outputs[0];
    float fSlow0 = float(fVslider0) * 0.001f;
    float fSlow1 = (int(float(fCheckbox0))) ? -1.0f : 1.0f;
    for (int i0 = 0; i0 < count; i0 = i0 + 1) {
      fHbargraph0 = FAUSTFLOAT(float(fVslider0));
      output0[i0] = FAUSTFLOAT(fSlow1 * fSlow0 * float(input0[i0]) * float(fHslider0));
    }
  }

};

#endif
