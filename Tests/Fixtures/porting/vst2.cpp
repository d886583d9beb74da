// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: feedback, name: Feedback, minimum: 0, default: 0.5, maximum: 1}
//     - {symbol: mix, name: Mix, minimum: 0, default: 0.5, maximum: 1}
#include <outboard/vst2.h>

// The original effect for VST2.

enum { kFeedback, kMix, kNumParams };

class Slapback : public AudioEffectX {
public:
  Slapback(audioMasterCallback audioMaster) : AudioEffectX(audioMaster, 1, kNumParams) {
    setNumInputs(2);
    setNumOutputs(2);
    setUniqueID(CCONST('s', 'l', 'a', 'p'));
    canProcessReplacing();
    size = VstInt32(getSampleRate() * 0.1f);
    for (auto &line : lines) line = new float[size];
    suspend();
  }
  ~Slapback() {
    for (auto *line : lines) delete[] line;
  }
  void suspend() {
    for (auto *line : lines) memset(line, 0, size * sizeof(float));
    position = 0;
  }
  void setParameter(VstInt32 index, float value) {
    if (index == kFeedback) feedback = 0.9f * value;
    if (index == kMix) mix = value;
  }
  float getParameter(VstInt32 index) { return index == kMix ? mix : feedback / 0.9f; }
  void processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames) {
    float *in1 = inputs[0], *in2 = inputs[1];
    float *out1 = outputs[0], *out2 = outputs[1];
    while (--sampleFrames >= 0) {
      const float l = lines[0][position], r = lines[1][position];
      lines[0][position] = *in1 + feedback * l;
      lines[1][position] = *in2 + feedback * r;
      *out1++ = *in1++ + mix * l;
      *out2++ = *in2++ + mix * r;
      if (++position == size) position = 0;
    }
  }

private:
  float *lines[2];
  VstInt32 size, position;
  float feedback = 0, mix = 0;
};

// The adapter.

OUTBOARD_VST2(Slapback)
