// FilterUnit.cpp: an Audio Unit with value labels, factory presets and properties. SPDX-License-Identifier: MIT
#include "AUEffectBase.h"

enum { kParam_Type, kParam_Cutoff, kParam_Order, kParam_Mode, kNumberOfParameters };
enum { kPreset_Dark, kPreset_Thin, kNumberPresets };
static AUPreset kPresets[kNumberPresets] = {{kPreset_Dark, CFSTR("Dark")}, {kPreset_Thin, CFSTR("Thin")}};

class FilterUnit : public AUEffectBase {
public:
  FilterUnit(AudioUnit component) : AUEffectBase(component) {
    CreateElements();
    Globals()->UseIndexedParameters(kNumberOfParameters);
    SetParameter(kParam_Type, 0);
    SetParameter(kParam_Cutoff, 1000);
    SetParameter(kParam_Order, 1);
    SetAFactoryPresetAsCurrent(kPresets[kPreset_Dark]);
  }
  virtual OSStatus GetParameterValueStrings(AudioUnitScope inScope, AudioUnitParameterID inParameterID, CFArrayRef *outStrings) {
    if (inScope != kAudioUnitScope_Global) return kAudioUnitErr_InvalidParameter;
    if (outStrings == NULL) return noErr;
    if (inParameterID == kParam_Type) {
      CFStringRef strings[] = {CFSTR("Low-pass"), CFSTR("High-pass")};
      *outStrings = CFArrayCreate(NULL, (const void **)strings, sizeof(strings) / sizeof(strings[0]), NULL);
      return noErr;
    }
    if (inParameterID == kParam_Order) {
      CFMutableArrayRef list = CFArrayCreateMutable(kCFAllocatorDefault, 0, &kCFTypeArrayCallBacks);
      CFArrayAppendValue(list, CFSTR("6 dB"));
      CFArrayAppendValue(list, CFSTR("12 dB"));
      *outStrings = list;
      return noErr;
    }
    return kAudioUnitErr_InvalidProperty;
  }
  virtual OSStatus GetParameterInfo(AudioUnitScope inScope, AudioUnitParameterID inParameterID, AudioUnitParameterInfo &outParameterInfo) {
    if (inScope != kAudioUnitScope_Global) return kAudioUnitErr_InvalidParameter;
    outParameterInfo.flags = kAudioUnitParameterFlag_IsWritable + kAudioUnitParameterFlag_IsReadable;
    switch (inParameterID) {
    case kParam_Type:
      AUBase::FillInParameterName(outParameterInfo, CFSTR("Type"), false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Indexed;
      outParameterInfo.minValue = 0, outParameterInfo.maxValue = 1, outParameterInfo.defaultValue = 0;
      return noErr;
    case kParam_Cutoff:
      AUBase::FillInParameterName(outParameterInfo, CFSTR("Cutoff"), false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Hertz;
      outParameterInfo.minValue = 20, outParameterInfo.maxValue = 20000, outParameterInfo.defaultValue = 1000;
      outParameterInfo.flags += kAudioUnitParameterFlag_DisplayLogarithmic;
      return noErr;
    case kParam_Order:
      AUBase::FillInParameterName(outParameterInfo, CFSTR("Order"), false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Indexed;
      outParameterInfo.minValue = 1, outParameterInfo.maxValue = 2, outParameterInfo.defaultValue = 1;
      return noErr;
    case kParam_Mode:
      AUBase::FillInParameterName(outParameterInfo, CFSTR("Mode"), false);
      outParameterInfo.unit = kAudioUnitParameterUnit_Indexed; // without labels
      outParameterInfo.minValue = 0, outParameterInfo.maxValue = 3, outParameterInfo.defaultValue = 0;
      return noErr;
    default: return kAudioUnitErr_InvalidParameter;
    }
  }
  virtual OSStatus GetPropertyInfo(AudioUnitPropertyID inID, AudioUnitScope inScope, AudioUnitElement inElement, UInt32 &outDataSize, Boolean &outWritable) {
    if (inID == kAudioUnitProperty_FactoryPresets || inID == kAudioUnitProperty_ParameterValueStrings) return noErr;
    return AUEffectBase::GetPropertyInfo(inID, inScope, inElement, outDataSize, outWritable);
  }
  virtual OSStatus GetPresets(CFArrayRef *outData) const {
    if (outData == NULL) return noErr;
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, kNumberPresets, NULL);
    for (int i = 0; i < kNumberPresets; ++i) CFArrayAppendValue(list, &kPresets[i]);
    *outData = (CFArrayRef)list;
    return noErr;
  }
  virtual OSStatus NewFactoryPresetSet(const AUPreset &inNewFactoryPreset) {
    for (int i = 0; i < kNumberPresets; ++i) {
      if (inNewFactoryPreset.presetNumber != kPresets[i].presetNumber) continue;
      SetParameter(kParam_Cutoff, i == kPreset_Dark ? 500 : 2000);
      SetAFactoryPresetAsCurrent(kPresets[i]);
      return noErr;
    }
    return kAudioUnitErr_InvalidProperty;
  }
  virtual AUKernelBase *NewKernel() { return new FilterKernel(this); }

protected:
  class FilterKernel : public AUKernelBase {
  public:
    FilterKernel(AUEffectBase *inAudioUnit) : AUKernelBase(inAudioUnit) { Reset(); }
    virtual void Process(const Float32 *in, Float32 *out, UInt32 count, UInt32, bool &ioSilence) {
      if (ioSilence) return;
      const Float32 rest = Float32(exp(-6.283185307179586 * GetParameter(kParam_Cutoff) / GetSampleRate()));
      const bool high = GetParameter(kParam_Type) > 0.5f;
      const int order = int(GetParameter(kParam_Order));
      for (UInt32 i = 0; i < count; ++i) {
        Float32 x = in[i];
        for (int pass = 0; pass < order; ++pass) {
          last[pass] = x + (last[pass] - x) * rest;
          x = high ? x - last[pass] : last[pass];
        }
        out[i] = x;
      }
    }
    virtual void Reset() { last[0] = last[1] = 0; }

  private:
    Float32 last[2];
  };
};

AUDIOCOMPONENT_ENTRY(AUBaseFactory, FilterUnit)
