// vst2_old.cpp: an effect from before VST 2.4, when values were of type `long`. SPDX-License-Identifier: MIT
#include "audioeffectx.h"

class OldGain : public AudioEffectX {
public:
  OldGain(audioMasterCallback audioMaster) : AudioEffectX(audioMaster, 1, 1), gain(0.5f) {
    setNumInputs(2);
    setNumOutputs(2);
    canMono();
    canProcessReplacing();
  }
  void setParameter(long index, float value) { gain = value; }
  float getParameter(long index) { return gain; }
  void getParameterName(long index, char *text) { strcpy(text, "Gain"); }
  void process(float **inputs, float **outputs, long sampleFrames) {}
  void processReplacing(float **inputs, float **outputs, long sampleFrames) {
    while (--sampleFrames >= 0)
      for (int c = 0; c < 2; c++) *outputs[c]++ = *inputs[c]++ * gain;
  }

private:
  float gain;
};

AudioEffect *createEffectInstance(audioMasterCallback audioMaster) { return new OldGain(audioMaster); }
