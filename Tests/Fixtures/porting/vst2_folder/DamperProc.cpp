// DamperProc.cpp: the signal processing, as in the effect's repository.
#ifndef __Damper_H
#include "Damper.h"
#endif

void Damper::processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames) {
  float *in1 = inputs[0];
  float *in2 = inputs[1];
  float *out1 = outputs[0];
  float *out2 = outputs[1];
  double share = A * (44100.0 / getSampleRate());
  if (share > 1.0) share = 1.0;

  while (--sampleFrames >= 0) {
    lastL += (*in1 - lastL) * share;
    lastR += (*in2 - lastR) * share;
    *out1 = lastL;
    *out2 = lastR;
    in1++;
    in2++;
    out1++;
    out2++;
  }
}
