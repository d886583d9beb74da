// Effect: a tremolo as a VST2-style class. Put yours in its place: as it is, or by
// #include "Yours.cpp" below the adapter. Save, and it is heard at once.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below says what the module is. Parameters go from 0 to 1, and stand in the order of the
// numbers that `setParameter` gets: write one line for each, with the default that it should have.

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
  // On the main thread; memory is taken here. getSampleRate() is already the right one.
  Effect(audioMasterCallback audioMaster) : AudioEffectX(audioMaster, 1, kNumParams) {
    setNumInputs(2);  // as many as the comment says
    setNumOutputs(2); // likewise
    canProcessReplacing();
    // setInitialDelay(frames) where the effect is late: the host makes up for it.
  }

  // Called between blocks on the audio thread, once for each parameter that has changed.
  void setParameter(VstInt32 index, float value) override {
    if (index == kRate) step = 20 * value / getSampleRate();
    if (index == kDepth) depth = value;
  }

  // suspend() and resume(), if there are any, are what the host calls to go back to silence.
  void suspend() override { phase = 0; }

  // On the audio thread: no memory, no files. The inputs are copies, and may be written to.
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

// Exports `create`, `process` and the others. Code with its own `createEffectInstance` has
// OUTBOARD_VST2_FACTORY here instead.
OUTBOARD_VST2(Effect)
