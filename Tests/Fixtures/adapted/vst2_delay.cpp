// vst2_delay.cpp: the effect and its factory function for VST2 hosts, unchanged for this host. SPDX-License-Identifier: MIT
#include "vst2_delay.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

AudioEffect *createEffectInstance(audioMasterCallback audioMaster) { return new TapeDelay(audioMaster); }

TapeDelay::TapeDelay(audioMasterCallback audioMaster) : AudioEffectX(audioMaster, NPROGS, NPARAMS) {
  fParam0 = 0.5f;
  fParam1 = 0.25f;
  fParam2 = 0.5f;
  size = 32766;
  buffer = new float[size + 2];
  ipos = 0;
  setNumInputs(2);
  setNumOutputs(2);
  setUniqueID('tdly');
  canProcessReplacing();
  vst_strncpy(programName, "Tape Delay", kVstMaxProgNameLen);
  suspend();
  setParameter(0, fParam0);
}

TapeDelay::~TapeDelay() {
  if (buffer) delete[] buffer;
}

bool TapeDelay::getProductString(char *text) { return strcpy(text, "Tape Delay"), true; }
bool TapeDelay::getVendorString(char *text) { return strcpy(text, "test"), true; }
bool TapeDelay::getEffectName(char *name) { return strcpy(name, "Delay"), true; }
void TapeDelay::setProgramName(char *name) { strcpy(programName, name); }
void TapeDelay::getProgramName(char *name) { strcpy(name, programName); }

void TapeDelay::setParameter(VstInt32 index, float value) {
  switch (index) {
  case 0: fParam0 = value; break;
  case 1: fParam1 = value; break;
  case 2: fParam2 = value; break;
  }
  ldel = (VstInt32)(size * fParam0 * fParam0);
  if (ldel < 4) ldel = 4;
  fbk = 0.95f * fParam1;
  wet = fParam2;
  dry = 1.0f;
}

void TapeDelay::suspend() { memset(buffer, 0, size * sizeof(float)); }

float TapeDelay::getParameter(VstInt32 index) {
  float v = 0;
  switch (index) {
  case 0: v = fParam0; break;
  case 1: v = fParam1; break;
  case 2: v = fParam2; break;
  }
  return v;
}

void TapeDelay::getParameterName(VstInt32 index, char *label) {
  switch (index) {
  case 0: strcpy(label, "Delay"); break;
  case 1: strcpy(label, "Feedback"); break;
  case 2: strcpy(label, "FX Mix"); break;
  }
}

void TapeDelay::getParameterDisplay(VstInt32 index, char *text) {
  switch (index) {
  case 0: int2string((VstInt32)(ldel * 1000.0f / getSampleRate()), text, kVstMaxParamStrLen); break;
  case 1: int2string((VstInt32)(99 * fParam1), text, kVstMaxParamStrLen); break;
  case 2: int2string((VstInt32)(100 * fParam2), text, kVstMaxParamStrLen); break;
  }
}

void TapeDelay::getParameterLabel(VstInt32 index, char *label) { strcpy(label, index == 0 ? "ms" : "%"); }

void TapeDelay::processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames) {
  float *in1 = inputs[0];
  float *in2 = inputs[1];
  float *out1 = outputs[0];
  float *out2 = outputs[1];
  float w = wet, y = dry, fb = fbk;
  VstInt32 i = ipos, l, s = size;
  l = (i + ldel) % (s + 1);

  --in1;
  --in2;
  --out1;
  --out2;
  while (--sampleFrames >= 0) {
    float a = *++in1;
    float b = *++in2;
    float dl = *(buffer + l);
    *(buffer + i) = 0.5f * (a + b) + fb * dl;
    i--;
    if (i < 0) i = s;
    l--;
    if (l < 0) l = s;
    *++out1 = y * a + w * dl;
    *++out2 = y * b + w * dl;
  }
  ipos = i;
}
