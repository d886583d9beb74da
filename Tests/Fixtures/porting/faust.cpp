// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: gain, name: Gain, minimum: 0, default: 0.5, maximum: 1}
//     - {symbol: pole, name: Pole, minimum: 0, default: 0.5, maximum: 0.999}
#include <outboard/faust.h>

// As Faust writes it: process = par(i, 2, *(hslider("gain", 0.5, 0, 1, 0.01)) : + ~ *(hslider("pole", ...)));

class mydsp : public dsp {
private:
  int fSampleRate;
  FAUSTFLOAT fHslider0;
  FAUSTFLOAT fHslider1;
  float fRec0[2];
  float fRec1[2];

public:
  virtual int getNumInputs() { return 2; }
  virtual int getNumOutputs() { return 2; }
  virtual void instanceResetUserInterface() {
    fHslider0 = FAUSTFLOAT(0.5f);
    fHslider1 = FAUSTFLOAT(0.5f);
  }
  virtual void instanceClear() {
    for (int l0 = 0; l0 < 2; l0 = l0 + 1) fRec0[l0] = 0.0f;
    for (int l1 = 0; l1 < 2; l1 = l1 + 1) fRec1[l1] = 0.0f;
  }
  virtual void init(int sample_rate) {
    fSampleRate = sample_rate;
    instanceResetUserInterface();
    instanceClear();
  }
  virtual void buildUserInterface(UI *ui_interface) {
    ui_interface->openVerticalBox("smooth");
    ui_interface->addHorizontalSlider("gain", &fHslider0, FAUSTFLOAT(0.5f), FAUSTFLOAT(0.0f),
                                      FAUSTFLOAT(1.0f), FAUSTFLOAT(0.01f));
    ui_interface->addHorizontalSlider("pole", &fHslider1, FAUSTFLOAT(0.5f), FAUSTFLOAT(0.0f),
                                      FAUSTFLOAT(0.999f), FAUSTFLOAT(0.001f));
    ui_interface->closeBox();
  }
  virtual void compute(int count, FAUSTFLOAT **inputs, FAUSTFLOAT **outputs) {
    FAUSTFLOAT *input0 = inputs[0];
    FAUSTFLOAT *input1 = inputs[1];
    FAUSTFLOAT *output0 = outputs[0];
    FAUSTFLOAT *output1 = outputs[1];
    float fSlow0 = float(fHslider0);
    float fSlow1 = float(fHslider1);
    for (int i0 = 0; i0 < count; i0 = i0 + 1) {
      fRec0[0] = fSlow0 * float(input0[i0]) + fSlow1 * fRec0[1];
      output0[i0] = FAUSTFLOAT(fRec0[0]);
      fRec1[0] = fSlow0 * float(input1[i0]) + fSlow1 * fRec1[1];
      output1[i0] = FAUSTFLOAT(fRec1[0]);
      fRec0[1] = fRec0[0];
      fRec1[1] = fRec1[0];
    }
  }
};

OUTBOARD_FAUST(mydsp)
