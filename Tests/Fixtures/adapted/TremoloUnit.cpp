// TremoloUnit.cpp: an Audio Unit with a kernel per channel and a component entry function. SPDX-License-Identifier: MIT
#include "AUEffectBase.h"
#include <math.h>

static const float kDefaultValue_Tremolo_Freq = 2.0;
static const float kMinimumValue_Tremolo_Freq = 0.5;
static const float kMaximumValue_Tremolo_Freq = 20.0;
static CFStringRef kParameterTremoloFreqName = CFSTR("Frequency");
static const float kDefaultValue_Tremolo_Depth = 50.0;
static CFStringRef kParameterTremoloDepthName = CFSTR("Depth");
enum { kParameter_Frequency = 0, kParameter_Depth = 1, kNumberOfParameters = 2 };

// `pi` is from <fp.h>. The code uses it outside of any class.
static double Radians(int i) { return i * 2.0 * pi / 2000; }

class TremoloUnit : public AUEffectBase {
public:
  TremoloUnit(AudioUnit component);
  virtual AUKernelBase *NewKernel() { return new TremoloUnitKernel(this); }
  virtual ComponentResult GetParameterInfo(AudioUnitScope inScope, AudioUnitParameterID inParameterID, AudioUnitParameterInfo &outParameterInfo);
  virtual bool SupportsTail() { return false; }
  virtual UInt32 SupportedNumChannels(const AUChannelInfo **outInfo) { static const AUChannelInfo kInfo[] = {{-1, -1}}; if (outInfo) *outInfo = kInfo; return 1; }
protected:
  class TremoloUnitKernel : public AUKernelBase {
  public:
    TremoloUnitKernel(AUEffectBase *inAudioUnit);
    virtual void Process(const Float32 *inSourceP, Float32 *inDestP, UInt32 inFramesToProcess, UInt32 inNumChannels, bool &ioSilence);
    virtual void Reset();
  private:
    enum { kWaveArraySize = 2000 };
    float mSine[kWaveArraySize];
    Float32 mSampleFrequency;
    long mSamplesProcessed;
  };
};

AUDIOCOMPONENT_ENTRY(AUBaseFactory, TremoloUnit)

TremoloUnit::TremoloUnit(AudioUnit component) : AUEffectBase(component) {
  CreateElements();
  Globals()->UseIndexedParameters(kNumberOfParameters);
  SetParameter(kParameter_Frequency, kDefaultValue_Tremolo_Freq);
  SetParameter(kParameter_Depth, kDefaultValue_Tremolo_Depth);
}
ComponentResult TremoloUnit::GetParameterInfo(AudioUnitScope inScope, AudioUnitParameterID inParameterID, AudioUnitParameterInfo &outParameterInfo) {
  ComponentResult result = noErr;
  outParameterInfo.flags = kAudioUnitParameterFlag_IsWritable | kAudioUnitParameterFlag_IsReadable;
  if (inScope == kAudioUnitScope_Global) {
    switch (inParameterID) {
    case kParameter_Frequency:
      AUBase::FillInParameterName(outParameterInfo, kParameterTremoloFreqName, false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Hertz;
      outParameterInfo.minValue = kMinimumValue_Tremolo_Freq;
      outParameterInfo.maxValue = kMaximumValue_Tremolo_Freq;
      outParameterInfo.defaultValue = kDefaultValue_Tremolo_Freq;
      outParameterInfo.flags |= kAudioUnitParameterFlag_DisplayLogarithmic;
      break;
    case kParameter_Depth:
      AUBase::FillInParameterName(outParameterInfo, kParameterTremoloDepthName, false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Percent;
      outParameterInfo.minValue = 0;
      outParameterInfo.maxValue = 100;
      outParameterInfo.defaultValue = kDefaultValue_Tremolo_Depth;
      break;
    default: result = kAudioUnitErr_InvalidParameter; break;
    }
  } else result = kAudioUnitErr_InvalidParameter;
  return result;
}
TremoloUnit::TremoloUnitKernel::TremoloUnitKernel(AUEffectBase *inAudioUnit) : AUKernelBase(inAudioUnit), mSamplesProcessed(0) {
  for (int i = 0; i < kWaveArraySize; ++i) {
    double radians = Radians(i);
    mSine[i] = (sin(radians) + 1.0) * 0.5;
  }
  mSine[0] = (sin(2.0 * pi) + 1.0) * 0.5;
  mSampleFrequency = GetSampleRate();
}
void TremoloUnit::TremoloUnitKernel::Reset() { mSamplesProcessed = 0; }
void TremoloUnit::TremoloUnitKernel::Process(const Float32 *inSourceP, Float32 *inDestP, UInt32 inFramesToProcess, UInt32 inNumChannels, bool &ioSilence) {
  if (!ioSilence) {
    const Float32 *sourceP = inSourceP;
    Float32 *destP = inDestP;
    UInt32 n = inFramesToProcess;
    float tremoloFrequency = GetParameter(kParameter_Frequency);
    float depth = GetParameter(kParameter_Depth);
    while (n--) {
      int index = static_cast<long>(mSamplesProcessed * (kWaveArraySize / (mSampleFrequency / tremoloFrequency))) % kWaveArraySize;
      *destP++ = *sourceP++ * (1 - 0.01f * depth * mSine[index]);
      mSamplesProcessed++;
    }
  }
}
