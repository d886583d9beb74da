// Damper.h: an effect for VST2, as in its repository.
#ifndef __Damper_H
#define __Damper_H
#ifndef __audioeffect__
#include "audioeffectx.h"
#endif
#include <set>
#include <string>

enum { kParamA = 0, kNumParameters = 1 };
const int kNumPrograms = 0;
const int kNumInputs = 2;
const int kNumOutputs = 2;
const unsigned long kUniqueId = CCONST('d', 'a', 'm', 'p');

class Damper : public AudioEffectX {
public:
  Damper(audioMasterCallback audioMaster);
  ~Damper();
  virtual bool getEffectName(char *name);
  virtual VstPlugCategory getPlugCategory();
  virtual VstInt32 canDo(char *text);
  virtual void processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames);
  virtual float getParameter(VstInt32 index);
  virtual void setParameter(VstInt32 index, float value);
  virtual void getParameterDisplay(VstInt32 index, char *text);

private:
  char _programName[kVstMaxProgNameLen + 1];
  std::set<std::string> _canDo;
  float A;
  double lastL, lastR;
};

#endif
