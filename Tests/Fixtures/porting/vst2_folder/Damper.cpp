// Damper.cpp: the functions that a host calls, as in the effect's repository.
#ifndef __Damper_H
#include "Damper.h"
#endif

AudioEffect *createEffectInstance(audioMasterCallback audioMaster) {
  return new Damper(audioMaster);
}

Damper::Damper(audioMasterCallback audioMaster)
    : AudioEffectX(audioMaster, kNumPrograms, kNumParameters) {
  A = 0.5;
  lastL = 0.0;
  lastR = 0.0;
  _canDo.insert("plugAsChannelInsert");
  setNumInputs(kNumInputs);
  setNumOutputs(kNumOutputs);
  setUniqueID(kUniqueId);
  canProcessReplacing();
  programsAreChunks(true);
  vst_strncpy(_programName, "Default", kVstMaxProgNameLen);
}

Damper::~Damper() {}

bool Damper::getEffectName(char *name) {
  vst_strncpy(name, "Damper", kVstMaxProductStrLen);
  return true;
}

VstPlugCategory Damper::getPlugCategory() { return kPlugCategEffect; }

VstInt32 Damper::canDo(char *text) { return (_canDo.find(text) == _canDo.end()) ? -1 : 1; }

float Damper::getParameter(VstInt32 index) { return index == kParamA ? A : 0.0f; }

void Damper::setParameter(VstInt32 index, float value) {
  if (index == kParamA) A = value;
}

void Damper::getParameterDisplay(VstInt32 index, char *text) {
  if (index == kParamA) float2string(A, text, kVstMaxParamStrLen);
}
