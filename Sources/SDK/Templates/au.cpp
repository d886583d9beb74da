// Effect: a tremolo as an Audio Unit-style kernel. Put yours in its place. Save, and it is heard at
// once.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below says what the module is. Parameters stand in the order of the numbers that
// `GetParameter` is asked for, which begin at 0.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <outboard/au.h>

enum { kParam_Rate, kParam_Depth, kParameterCount };

// One channel; each has a kernel of its own.
class Effect : public AUKernelBase {
public:
  // On the main thread; memory is taken here. GetSampleRate() is already the right one.
  Effect(AUEffectBase *unit) : AUKernelBase(unit) {}

  // Goes back to silence, on the audio thread.
  void Reset() override { phase = 0; }

  // On the audio thread: no memory, no locks, no files.
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

// Exports `create`, `process` and the others: the class, its channels, its parameters, as many as the
// comment says. A class made of AUEffectBase has OUTBOARD_AU_EFFECT here, and a render function
// OUTBOARD_AU_RENDER: see outboard/au.h.
OUTBOARD_AU_KERNEL(Effect, 2, kParameterCount)
