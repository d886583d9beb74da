// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: balance, name: Balance, minimum: -1, default: 0, maximum: 1}]
#include <outboard/au.h>

// The original Audio Unit effect: it processes all channels of a buffer list.

class Balance : public AUEffectBase {
public:
  Balance(AudioUnit component) : AUEffectBase(component) {
    CreateElements();
    Globals()->UseIndexedParameters(1);
  }
  OSStatus ProcessBufferLists(AudioUnitRenderActionFlags &, const AudioBufferList &in,
                              AudioBufferList &out, UInt32 frames) override {
    const Float32 balance = GetParameter(0);
    for (UInt32 c = 0; c < in.mNumberBuffers; c++) {
      const Float32 *from = (const Float32 *)in.mBuffers[c].mData;
      Float32 *to = (Float32 *)out.mBuffers[c].mData;
      const Float32 gain = 1 - fmaxf(c == 0 ? balance : -balance, 0);
      for (UInt32 i = 0; i < frames; i++) to[i] = from[i] * gain;
    }
    return noErr;
  }
};

// The adapter.

OUTBOARD_AU_EFFECT(Balance, 2, 1)
