// Effect: a tremolo as an Audio Unit-style kernel. Replace it with your code. Edit and save: the
// running session reloads it.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below is the manifest. Parameters are in the order of the indices of `GetParameter`,
// from 0.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <outboard/au.h>

enum { kParam_Rate, kParam_Depth, kParameterCount };

// One channel. Each channel has its own kernel.
class Effect : public AUKernelBase {
public:
  // Runs on the main thread. Allocate all memory here. GetSampleRate() is already valid.
  Effect(AUEffectBase *unit) : AUKernelBase(unit) {}

  // Clears the signal state, on the audio thread.
  void Reset() override { phase = 0; }

  // Renders a block, on the audio thread: no allocation, locks or file access.
  void Process(const Float32 *in, Float32 *out, UInt32 frames, UInt32, bool &) override {
    const double step = GetParameter(kParam_Rate) / GetSampleRate();
    const Float32 depth = GetParameter(kParam_Depth);
    for (UInt32 i = 0; i < frames; i++) {
      out[i] = in[i] * (1 - depth * Float32(0.5 - 0.5 * cos(6.283185307179586 * phase)));
      phase += step;
      if (phase >= 1) phase -= 1;
    }
  }

private:
  double phase = 0; // 0 to 1
};

// Exports `create`, `process` and the other functions for the class, with its number of channels and
// parameters. For a subclass of AUEffectBase use OUTBOARD_AU_EFFECT, for a render function
// OUTBOARD_AU_RENDER. See outboard/au.h.
OUTBOARD_AU_KERNEL(Effect, 2, kParameterCount)
