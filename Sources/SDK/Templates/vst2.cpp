// Effect: a tremolo as a VST2-style class. Replace it with your code, or use
// #include "Yours.cpp" below the adapter. Edit and save: the running session reloads it.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below is the manifest. Parameters range from 0 to 1. Write one line with a default for
// each, in the order of the indices that `setParameter` receives.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, minimum: 0, default: 0.25, maximum: 1}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1}

#include <outboard/vst2.h>

enum { kRate, kDepth, kNumParams };

class Effect : public AudioEffectX {
public:
  // Runs on the main thread. Allocate all memory here. getSampleRate() is already valid.
  Effect(audioMasterCallback audioMaster) : AudioEffectX(audioMaster, 1, kNumParams) {
    setNumInputs(2);  // as in the comment
    setNumOutputs(2); // as in the comment
    canProcessReplacing();
    // setInitialDelay(frames) if the effect has latency: the host compensates for it.
  }

  // Called on the audio thread between blocks, once for each changed parameter.
  void setParameter(VstInt32 index, float value) override {
    if (index == kRate) step = 20 * value / getSampleRate();
    if (index == kDepth) depth = value;
  }

  // If suspend() and resume() exist, the host calls them to clear the signal state.
  void suspend() override { phase = 0; }

  // Runs on the audio thread: no allocation or file access. The inputs are copies and may be modified.
  void processReplacing(float **inputs, float **outputs, VstInt32 sampleFrames) override {
    for (VstInt32 i = 0; i < sampleFrames; i++) {
      const float gain = 1 - depth * (0.5f - 0.5f * cosf(6.2831853f * phase));
      outputs[0][i] = inputs[0][i] * gain;
      outputs[1][i] = inputs[1][i] * gain;
      phase += step;
      if (phase >= 1) phase -= 1;
    }
  }

private:
  float phase = 0, step = 0, depth = 0;
};

// Exports `create`, `process` and the other functions. If the code has `createEffectInstance`, use
// OUTBOARD_VST2_FACTORY instead.
OUTBOARD_VST2(Effect)
