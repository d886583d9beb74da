// vst2_delay.h: an effect in the style of VST 2.4, in two files. SPDX-License-Identifier: MIT
#ifndef VST2_DELAY_H
#define VST2_DELAY_H

#include "public.sdk/source/vst2.x/audioeffectx.h"

#define NPARAMS 3
#define NPROGS 1

class TapeDelay : public AudioEffectX {
public:
  TapeDelay(audioMasterCallback audioMaster);
  ~TapeDelay();

  virtual void processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames);
  virtual void setProgramName(char *name);
  virtual void getProgramName(char *name);
  virtual void setParameter(VstInt32 index, float value);
  virtual float getParameter(VstInt32 index);
  virtual void getParameterLabel(VstInt32 index, char *label);
  virtual void getParameterDisplay(VstInt32 index, char *text);
  virtual void getParameterName(VstInt32 index, char *text);
  virtual void suspend();
  virtual bool getEffectName(char *name);
  virtual bool getVendorString(char *text);
  virtual bool getProductString(char *text);
  virtual VstInt32 getVendorVersion() { return 1000; }

protected:
  float fParam0, fParam1, fParam2;
  float fbk, wet, dry;
  float *buffer;
  VstInt32 size, ipos, ldel;
  char programName[kVstMaxProgNameLen + 1];
};

#endif
