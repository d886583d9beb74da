// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: cutoff, name: Cutoff, unit: Hz, minimum: 20, default: 800, maximum: 20000, scale: logarithmic}
#include <outboard/au.h>

// The original Audio Unit kernel: it processes one channel.

enum { kParam_Cutoff };

class LowPassKernel : public AUKernelBase {
public:
  LowPassKernel(AUEffectBase *unit) : AUKernelBase(unit) {}
  void Reset() override { last = 0; }
  void Process(const Float32 *in, Float32 *out, UInt32 frames, UInt32, bool &) override {
    const double cutoff = GetParameter(kParam_Cutoff);
    const float rest = float(exp(-6.283185307179586 * cutoff / GetSampleRate()));
    for (UInt32 i = 0; i < frames; i++) out[i] = last = in[i] + (last - in[i]) * rest;
  }

private:
  Float32 last = 0;
};

// The adapter.

OUTBOARD_AU_KERNEL(LowPassKernel, 2, 1)
