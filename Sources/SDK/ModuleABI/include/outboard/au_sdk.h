// au_sdk.h: the descriptive part of the Audio Unit SDK. SPDX-License-Identifier: MIT
//
// Only the names and ranges of parameters are used. Everything else lets an effect's files compile unchanged.
#pragma once

// Text and lists

#include "au_lists.h"

// Properties

enum {
  kAudioUnitProperty_SampleRate = 2,
  kAudioUnitProperty_ParameterList = 3,
  kAudioUnitProperty_ParameterInfo = 4,
  kAudioUnitProperty_StreamFormat = 8,
  kAudioUnitProperty_Latency = 12,
  kAudioUnitProperty_SupportedNumChannels = 13,
  kAudioUnitProperty_MaximumFramesPerSlice = 14,
  kAudioUnitProperty_ParameterValueStrings = 16,
  kAudioUnitProperty_TailTime = 20,
  kAudioUnitProperty_BypassEffect = 21,
  kAudioUnitProperty_FactoryPresets = 24,
  kAudioUnitProperty_ParameterStringFromValue = 33,
  kAudioUnitProperty_CocoaUI = 31,
  kAudioUnitProperty_PresentPreset = 36,
  kAudioUnitProperty_ParameterValueFromString = 38,
  kAudioUnitProperty_UserPlugin = 64000
};

typedef UInt32 AudioUnitPropertyID;
typedef UInt32 AudioUnitParameterUnit;
typedef UInt32 OSType;
enum {
  kAudioUnitErr_InvalidProperty = -10879,
  kAudioUnitErr_InvalidPropertyValue = -10851,
  kAudioUnitErr_InvalidScope = -10866,
  kAudioUnitErr_InvalidElement = -10877,
  kAudioUnitErr_Uninitialized = -10867
};
enum {
  kAudioUnitParameterUnit_Generic,
  kAudioUnitParameterUnit_Indexed,
  kAudioUnitParameterUnit_Boolean,
  kAudioUnitParameterUnit_Percent,
  kAudioUnitParameterUnit_Seconds,
  kAudioUnitParameterUnit_SampleFrames,
  kAudioUnitParameterUnit_Phase,
  kAudioUnitParameterUnit_Rate,
  kAudioUnitParameterUnit_Hertz,
  kAudioUnitParameterUnit_Cents,
  kAudioUnitParameterUnit_RelativeSemiTones,
  kAudioUnitParameterUnit_MIDINoteNumber,
  kAudioUnitParameterUnit_MIDIController,
  kAudioUnitParameterUnit_Decibels,
  kAudioUnitParameterUnit_LinearGain,
  kAudioUnitParameterUnit_Degrees,
  kAudioUnitParameterUnit_EqualPowerCrossfade,
  kAudioUnitParameterUnit_MixerFaderCurve1,
  kAudioUnitParameterUnit_Pan,
  kAudioUnitParameterUnit_Meters,
  kAudioUnitParameterUnit_AbsoluteCents,
  kAudioUnitParameterUnit_Octaves,
  kAudioUnitParameterUnit_BPM,
  kAudioUnitParameterUnit_Beats,
  kAudioUnitParameterUnit_Milliseconds,
  kAudioUnitParameterUnit_Ratio,
  kAudioUnitParameterUnit_CustomUnit
};
const UInt32 kAudioUnitParameterFlag_ValuesHaveStrings = 1u << 21;
const UInt32 kAudioUnitParameterFlag_NonRealTime = 1u << 27;
const UInt32 kAudioUnitParameterFlag_CanRamp = 1u << 25;
const UInt32 kAudioUnitParameterFlag_IsHighResolution = 1u << 23;
const UInt32 kAudioUnitParameterFlag_DisplayLogarithmic = 1u << 22;
const UInt32 kAudioUnitParameterFlag_IsReadable = 1u << 30;
const UInt32 kAudioUnitParameterFlag_IsWritable = 1u << 31;

struct AudioUnitParameterInfo {
  char name[52];
  CFStringRef unitName;
  UInt32 clumpID;
  CFStringRef cfNameString;
  AudioUnitParameterUnit unit;
  Float32 minValue;
  Float32 maxValue;
  Float32 defaultValue;
  UInt32 flags;
};
struct AUChannelInfo {
  SInt16 inChannels, outChannels;
};
struct AUPreset {
  SInt32 presetNumber;
  CFStringRef presetName;
};

// The entry of a component creates an effect, for OUTBOARD_AU_COMPONENT.
#define COMPONENT_ENTRY(Class)                                                                     \
  AUEffectBase *outboard_au_component() { return outboard::au_component<Class>(); }
#define AUDIOCOMPONENT_ENTRY(Factory, Class) COMPONENT_ENTRY(Class)

namespace outboard {

/// Returns the unit of a parameter; nullptr if it has no readable one.
inline const char *au_unit(const AudioUnitParameterInfo &info) {
  switch (info.unit) {
  case kAudioUnitParameterUnit_Percent: return "%";
  case kAudioUnitParameterUnit_Seconds: return "s";
  case kAudioUnitParameterUnit_Hertz: return "Hz";
  case kAudioUnitParameterUnit_Cents: return "ct";
  case kAudioUnitParameterUnit_Decibels: return "dB";
  case kAudioUnitParameterUnit_Milliseconds: return "ms";
  case kAudioUnitParameterUnit_CustomUnit:
    return info.unitName == nullptr ? nullptr : info.unitName->characters;
  default: return nullptr;
  }
}

/// Returns the scale of a parameter; nullptr if it is linear.
inline const char *au_scale(const AudioUnitParameterInfo &info) {
  if (info.unit == kAudioUnitParameterUnit_Boolean) return "toggle";
  if (info.unit == kAudioUnitParameterUnit_Indexed) return "integer";
  return info.flags & kAudioUnitParameterFlag_DisplayLogarithmic ? "logarithmic" : nullptr;
}

} // namespace outboard
