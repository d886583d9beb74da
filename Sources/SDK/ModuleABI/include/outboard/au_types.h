// au_types.h: types and base classes of Audio Unit-style code.
// SPDX-License-Identifier: MIT
#pragma once

#include "port.h"

#include <cmath>
#include <memory>

// A kernel overrides one of the two forms of `Process`, and so hides the other.
#pragma GCC diagnostic ignored "-Woverloaded-virtual"

// Names from system headers

typedef float Float32;
typedef double Float64;
typedef uint8_t UInt8;
typedef uint16_t UInt16;
typedef uint32_t UInt32;
typedef uint64_t UInt64;
typedef int16_t SInt16;
typedef int32_t SInt32;
typedef int64_t SInt64;
typedef int32_t OSStatus;
typedef int32_t ComponentResult;
typedef unsigned char Boolean;
typedef float AudioUnitSampleType;
typedef float AudioUnitParameterValue;
typedef UInt32 AudioUnitParameterID;
typedef UInt32 AudioUnitScope;
typedef UInt32 AudioUnitElement;
typedef UInt32 AudioUnitRenderActionFlags;
typedef UInt32 AUAudioFrameCount;
typedef struct OpaqueAudioUnit *AudioUnit;
typedef AudioUnit AudioComponentInstance;

#include "au_sdk.h"

enum { noErr = 0, kAudioUnitErr_InvalidParameter = -10878 };
enum { kAudioUnitRenderAction_OutputIsSilence = 1 << 4 };
enum { kAudioUnitScope_Global, kAudioUnitScope_Input, kAudioUnitScope_Output };

struct AudioTimeStamp {
  Float64 mSampleTime; // frames
  UInt64 mHostTime;
  Float64 mRateScalar;
  UInt32 mFlags; // 1: mSampleTime is valid
};
struct AudioBuffer {
  UInt32 mNumberChannels;
  UInt32 mDataByteSize;
  void *mData;
};
struct AudioBufferList {
  UInt32 mNumberBuffers;
  AudioBuffer mBuffers[1]; // mNumberBuffers elements
};

class AUKernelBase;
class AUEffectBase;

#ifdef OUTBOARD_AU_PI
static const double pi = 3.141592653589793238;
#endif

namespace outboard {

/// Constants of system headers, as class members, because code may define them too. The host defines a macro
/// if code needs them outside of classes.
struct AuConstants {
  static constexpr double pi = 3.141592653589793238;
};
/// Creates the effect of a component entry; nullptr for other kinds of units.
template <class Class> AUEffectBase *au_component();

/// The sample rate while an effect's constructor runs, in Hz. [main]
inline double au_sample_rate_hz = 44100;

} // namespace outboard

typedef AUEffectBase AUBase;

/// The base class of effects, which kernels query.
class AUEffectBase : public outboard::AuConstants {
public:
  explicit AUEffectBase(AudioUnit = nullptr, bool = true) {}
  virtual ~AUEffectBase() {}
  AUEffectBase(const AUEffectBase &) = delete;
  AUEffectBase &operator=(const AUEffectBase &) = delete;

  virtual OSStatus Initialize() { return noErr; }
  virtual void Cleanup() {}
  virtual OSStatus Reset(AudioUnitScope, AudioUnitElement);
  virtual Float64 GetLatency() { return 0; }
  virtual Float64 GetTailTime() { return 0; }
  virtual bool SupportsTail() { return false; }
  virtual OSStatus GetParameterValueStrings(AudioUnitScope, AudioUnitParameterID, CFArrayRef *) {
    return kAudioUnitErr_InvalidProperty;
  }
  virtual OSStatus GetParameterInfo(AudioUnitScope, AudioUnitParameterID, AudioUnitParameterInfo &) {
    return kAudioUnitErr_InvalidParameter;
  }
  virtual OSStatus GetPropertyInfo(AudioUnitPropertyID, AudioUnitScope, AudioUnitElement, UInt32 &,
                                   Boolean &) {
    return kAudioUnitErr_InvalidProperty;
  }
  virtual OSStatus GetProperty(AudioUnitPropertyID, AudioUnitScope, AudioUnitElement, void *) {
    return kAudioUnitErr_InvalidProperty;
  }
  virtual OSStatus GetPresets(CFArrayRef *) const { return kAudioUnitErr_InvalidProperty; }
  virtual OSStatus NewFactoryPresetSet(const AUPreset &) { return kAudioUnitErr_InvalidProperty; }
  virtual UInt32 SupportedNumChannels(const AUChannelInfo **) { return 0; }
  virtual OSStatus Version() { return 0; }
  virtual AUKernelBase *NewKernel() const { return nullptr; }
  virtual AUKernelBase *NewKernel() { return static_cast<const AUEffectBase *>(this)->NewKernel(); }
  virtual OSStatus ProcessBufferLists(AudioUnitRenderActionFlags &flags, const AudioBufferList &in,
                                      AudioBufferList &out, UInt32 frame_count);

  // Functions that the effect or its kernels call.
  Float64 GetSampleRate() const { return sample_rate_hz; }
  Float64 SampleRate() const { return sample_rate_hz; }
  UInt32 GetNumberOfChannels() const { return channel_count; }
  UInt32 GetMaxFramesPerSlice() const { return maximum_frame_count; }
  Float32 GetParameter(AudioUnitParameterID p) const { return p < values.size() ? values[p] : 0; }
  uint32_t CountParameters() const { return uint32_t(values.size()); }
  OSStatus SetParameter(AudioUnitParameterID p, AudioUnitScope, AudioUnitElement, Float32 value,
                        UInt32 = 0) {
    SetParameter(p, value);
    return noErr;
  }
  virtual OSStatus SetProperty(AudioUnitPropertyID, AudioUnitScope, AudioUnitElement, const void *, UInt32) {
    return kAudioUnitErr_InvalidProperty;
  }
  bool SetAFactoryPresetAsCurrent(const AUPreset &) { return true; }
  void PropertyChanged(AudioUnitPropertyID, AudioUnitScope, AudioUnitElement) {}
  void SetParamHasSampleRateDependency(bool) {}
  bool IsInitialized() const { return maximum_frame_count > 0; }
  void SetParameter(AudioUnitParameterID p, Float32 value) {
    if (p >= values.size()) values.resize(p + 1); // only in its constructor
    values[p] = value;
  }
  // The host's transport is not available: time runs from the start, at 120 beats a minute in 4/4.
  OSStatus CallHostBeatAndTempo(Float64 *beat, Float64 *tempo) const {
    if (beat != nullptr) *beat = OutboardBeat();
    if (tempo != nullptr) *tempo = 120;
    return noErr;
  }
  OSStatus CallHostMusicalTimeLocation(UInt32 *frames_to_beat, Float32 *numerator, UInt32 *denominator,
                                       Float64 *bar) const {
    const double beat = OutboardBeat();
    if (frames_to_beat != nullptr) *frames_to_beat = UInt32((std::ceil(beat) - beat) * sample_rate_hz / 2);
    if (numerator != nullptr) *numerator = 4;
    if (denominator != nullptr) *denominator = 4;
    if (bar != nullptr) *bar = 4 * std::floor(beat / 4);
    return noErr;
  }
  OSStatus CallHostTransportState(Boolean *plays, Boolean *has_changed, Float64 *frame, Boolean *cycles,
                                  Float64 *cycle_start, Float64 *cycle_end) const {
    if (plays != nullptr) *plays = true;
    for (Boolean *one : {has_changed, cycles})
      if (one != nullptr) *one = false;
    if (frame != nullptr) *frame = frames_before;
    for (Float64 *one : {cycle_start, cycle_end})
      if (one != nullptr) *one = 0;
    return noErr;
  }
  void CreateElements() {}
  AUEffectBase *Globals() { return this; }
  void UseIndexedParameters(UInt32 count) { values.resize(count); }
  static void FillInParameterName(AudioUnitParameterInfo &info, CFStringRef name, bool) {
    info.cfNameString = name;
  }
  static void HasClump(AudioUnitParameterInfo &, UInt32) {}

  /// Counts the frames of the time. [render]
  void OutboardAdvance(UInt32 frames) { frames_before += frames; }
  void OutboardRewind() { frames_before = 0; }
  /// Sets the channels, parameters and longest block, and creates the kernels. [main]
  void Prepare(uint32_t channels, uint32_t parameters, uint32_t frame_count);
  /// Sets the parameter values of a block. [render]
  void SetParameters(const float *parameters, uint32_t count) {
    for (uint32_t p = 0; p < count; p++) values[p] = parameters[p];
  }

private:
  double OutboardBeat() const { return frames_before / sample_rate_hz * 2; }
  double frames_before = 0;
  double sample_rate_hz = outboard::au_sample_rate_hz;
  uint32_t channel_count = 0;
  uint32_t maximum_frame_count = 0;
  std::vector<float> values;
  std::vector<std::unique_ptr<AUKernelBase>> kernels;
};

/// The base class of kernels: one channel of an effect.
class AUKernelBase : public outboard::AuConstants {
public:
  explicit AUKernelBase(AUEffectBase *owner) : mAudioUnit(owner) {}
  explicit AUKernelBase(AUEffectBase &owner) : mAudioUnit(&owner) {}
  virtual ~AUKernelBase() {}
  AUKernelBase(const AUKernelBase &) = delete;
  AUKernelBase &operator=(const AUKernelBase &) = delete;

  virtual void Reset() {}
  // A kernel overrides one of these two, depending on its age.
  virtual void Process(const Float32 *in, Float32 *out, UInt32 frames, UInt32, bool &is_silent) {
    Process(in, out, frames, is_silent);
  }
  virtual void Process(const Float32 *, Float32 *out, UInt32 frames, bool &) {
    memset(out, 0, frames * sizeof *out);
  }

  Float64 GetSampleRate() const { return mAudioUnit->GetSampleRate(); }
  Float32 GetParameter(AudioUnitParameterID p) const { return mAudioUnit->GetParameter(p); }
  UInt32 GetChannelNum() const { return channel; }
  void SetChannelNum(UInt32 number) { channel = number; }

protected:
  AUEffectBase *mAudioUnit;

private:
  UInt32 channel = 0;
};

inline void AUEffectBase::Prepare(uint32_t channels, uint32_t parameters, uint32_t frame_count) {
  channel_count = channels;
  maximum_frame_count = frame_count;
  if (values.size() < parameters) values.resize(parameters);
  kernels.clear();
  // The SDK's base class creates the kernels first, because an effect's own Initialize may reset them.
  for (uint32_t c = 0; c < channels; c++) {
    AUKernelBase *kernel = NewKernel();
    if (kernel == nullptr) break;
    kernel->SetChannelNum(c);
    kernels.emplace_back(kernel);
  }
  if (Initialize() != noErr) throw std::bad_alloc();
  Reset(kAudioUnitScope_Global, 0);
}

inline OSStatus AUEffectBase::Reset(AudioUnitScope, AudioUnitElement) {
  for (auto &kernel : kernels) kernel->Reset();
  return noErr;
}

inline OSStatus AUEffectBase::ProcessBufferLists(AudioUnitRenderActionFlags &,
                                                 const AudioBufferList &in, AudioBufferList &out,
                                                 UInt32 frame_count) {
  for (size_t c = 0; c < kernels.size(); c++) {
    bool is_silent = false;
    kernels[c]->Process(static_cast<const Float32 *>(in.mBuffers[c].mData),
                        static_cast<Float32 *>(out.mBuffers[c].mData), frame_count, 1, is_silent);
  }
  return noErr;
}
