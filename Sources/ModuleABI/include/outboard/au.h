// au.h: Audio Unit-style kernels, effects and render functions, without the SDK.
// SPDX-License-Identifier: MIT
//
//   OUTBOARD_AU_KERNEL(Kernel, channel_count, parameter_count)
//     one kernel for each channel: Process(const float *in, float *out, UInt32 frames, ...). It is made
//     by `Kernel(AUEffectBase *)`, or by `Kernel()`.
//   OUTBOARD_AU_EFFECT(Effect, channel_count, parameter_count)
//     a class made of AUEffectBase with `NewKernel`, or with `ProcessBufferLists`
//   OUTBOARD_AU_RENDER(State, channel_count, parameter_count, init, set, render)
//     OSStatus render(State *, AudioUnitRenderActionFlags *, const AudioTimeStamp *, UInt32 bus,
//                     UInt32 frames, AudioBufferList *) in place; init and set as in tick.h
//
// Parameters are numbered as in the `// outboard:` comment, from 0; `GetParameter` returns them. A number
// returned by `GetLatency`, in seconds, is reported.
#pragma once

#include "port.h"

#include <memory>

// A kernel has one of two forms of `Process`, and so hides the other one.
#pragma GCC diagnostic ignored "-Woverloaded-virtual"

// Names of the system's own headers

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
  AudioBuffer mBuffers[1]; // as many as the number says
};

namespace outboard {

/// What an effect finds when its constructor asks. [main]
inline double au_sample_rate_hz = 44100;

/// A buffer list of one buffer for each channel, in memory of its own.
class AuBufferList {
public:
  explicit AuBufferList(uint32_t channel_count)
      : memory(new char[sizeof(AudioBufferList) + channel_count * sizeof(AudioBuffer)]) {
    list()->mNumberBuffers = channel_count;
  }
  /// Points it to channels. Lists have no const: what is read only must not be written to.
  AudioBufferList *at(float *const *rows, uint32_t frame_count) {
    for (uint32_t c = 0; c < list()->mNumberBuffers; c++)
      list()->mBuffers[c] = {1, UInt32(frame_count * sizeof(float)), rows[c]};
    return list();
  }

private:
  AudioBufferList *list() { return reinterpret_cast<AudioBufferList *>(memory.get()); }
  std::unique_ptr<char[]> memory;
};

} // namespace outboard

class AUKernelBase;

/// The base of effects, and what kernels ask.
class AUEffectBase {
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
  virtual AUKernelBase *NewKernel() const { return nullptr; }
  virtual AUKernelBase *NewKernel() { return static_cast<const AUEffectBase *>(this)->NewKernel(); }
  virtual OSStatus ProcessBufferLists(AudioUnitRenderActionFlags &flags, const AudioBufferList &in,
                                      AudioBufferList &out, UInt32 frame_count);

  // What an effect or its kernels ask.
  Float64 GetSampleRate() const { return sample_rate_hz; }
  Float64 SampleRate() const { return sample_rate_hz; }
  UInt32 GetNumberOfChannels() const { return channel_count; }
  UInt32 GetMaxFramesPerSlice() const { return maximum_frame_count; }
  Float32 GetParameter(AudioUnitParameterID p) const { return p < values.size() ? values[p] : 0; }
  void SetParameter(AudioUnitParameterID p, Float32 value) {
    if (p >= values.size()) values.resize(p + 1); // only as it is made, by its constructor
    values[p] = value;
  }
  void CreateElements() {}
  AUEffectBase *Globals() { return this; }
  void UseIndexedParameters(UInt32 count) { values.resize(count); }

  /// Gives it its place in the world, and its kernels. [main]
  void Prepare(uint32_t channels, uint32_t parameters, uint32_t frame_count);
  /// Gives it the values of a block. [render]
  void SetParameters(const float *parameters, uint32_t count) {
    for (uint32_t p = 0; p < count; p++) values[p] = parameters[p];
  }

private:
  double sample_rate_hz = outboard::au_sample_rate_hz;
  uint32_t channel_count = 0;
  uint32_t maximum_frame_count = 0;
  std::vector<float> values;
  std::vector<std::unique_ptr<AUKernelBase>> kernels;
};

/// The base of kernels: one channel of an effect.
class AUKernelBase {
public:
  explicit AUKernelBase(AUEffectBase *owner) : mAudioUnit(owner) {}
  explicit AUKernelBase(AUEffectBase &owner) : mAudioUnit(&owner) {}
  virtual ~AUKernelBase() {}
  AUKernelBase(const AUKernelBase &) = delete;
  AUKernelBase &operator=(const AUKernelBase &) = delete;

  virtual void Reset() {}
  // One of these two is what a kernel has, as older or newer ones do.
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
  if (Initialize() != noErr) throw std::bad_alloc();
  for (uint32_t c = 0; c < channels; c++) {
    AUKernelBase *kernel = NewKernel();
    if (kernel == nullptr) return;
    kernel->SetChannelNum(c);
    kernels.emplace_back(kernel);
  }
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

namespace outboard {

// The ways in which kernels are called, and those in which classes are made.
template <class Kernel>
auto au_process(Kernel &kernel, const float *in, float *out, UInt32 frames, int)
    -> decltype(kernel.Process(in, out, frames, UInt32(1), std::declval<bool &>()), void()) {
  bool is_silent = false;
  kernel.Process(in, out, frames, UInt32(1), is_silent);
}
template <class Kernel>
auto au_process(Kernel &kernel, const float *in, float *out, UInt32 frames, int)
    -> decltype(kernel.Process(in, out, frames, std::declval<bool &>()), void()) {
  bool is_silent = false;
  kernel.Process(in, out, frames, is_silent);
}
template <class Kernel>
auto au_process(Kernel &kernel, const float *in, float *out, UInt32 frames, int)
    -> decltype(kernel.Process(in, out, frames), void()) {
  kernel.Process(in, out, frames);
}
template <class Class, class Argument> Class *au_make(Argument *argument) {
  if constexpr (std::is_constructible<Class, Argument *>::value) {
    return new Class(argument);
  } else if constexpr (std::is_constructible<Class, Argument &>::value) {
    return new Class(*argument);
  } else {
    return new Class();
  }
}

/// A module around an effect of buffer lists.
template <class Effect, uint32_t channel_count, uint32_t parameter_count>
class AuEffectPort : public Port {
public:
  AuEffectPort(double sample_rate_hz, uint32_t maximum_frame_count)
      : rate((au_sample_rate_hz = sample_rate_hz)),
        effect(au_make<Effect>(static_cast<OpaqueAudioUnit *>(nullptr))),
        copies(channel_count, maximum_frame_count), input(channel_count), output(channel_count) {
    effect->Prepare(channel_count, parameter_count, maximum_frame_count);
  }
  ~AuEffectPort() { effect->Cleanup(); }
  void reset() { effect->Reset(kAudioUnitScope_Global, 0); }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    effect->SetParameters(parameters, parameter_count);
    copies.read(inputs, frame_count);
    AudioUnitRenderActionFlags flags = 0;
    effect->ProcessBufferLists(flags, *input.at(copies.data(), frame_count),
                               *output.at(outputs, frame_count), frame_count);
  }
  uint32_t latency() const { return uint32_t(lrint(effect->GetLatency() * rate)); }

private:
  double rate;
  std::unique_ptr<Effect> effect;
  Channels copies;
  AuBufferList input;
  AuBufferList output;
};

/// A module around one kernel for each channel.
template <class Kernel, uint32_t channel_count, uint32_t parameter_count>
class AuKernelPort : public Port {
public:
  AuKernelPort(double sample_rate_hz, uint32_t maximum_frame_count) {
    au_sample_rate_hz = sample_rate_hz;
    unit.reset(new AUEffectBase());
    unit->Prepare(channel_count, parameter_count, maximum_frame_count);
    for (auto &kernel : kernels) kernel.reset(au_make<Kernel>(unit.get()));
  }
  void reset() {
    for (auto &kernel : kernels) clear(*kernel, 0);
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    unit->SetParameters(parameters, parameter_count);
    for (uint32_t c = 0; c < channel_count; c++)
      au_process(*kernels[c], inputs[c], outputs[c], frame_count, 0);
  }

private:
  std::unique_ptr<AUEffectBase> unit; // outlives its kernels
  std::unique_ptr<Kernel> kernels[channel_count];
};

/// A module around a render function.
template <class Traits> class AuRenderPort : public Port {
public:
  AuRenderPort(double sample_rate_hz, uint32_t) : buffers(Traits::outboard_channels) {
    Traits::outboard_start(&state, sample_rate_hz);
    fresh.keep(state);
    outboard_forget(last, Traits::outboard_parameters);
  }
  void reset() {
    fresh.put_back(state);
    outboard_forget(last, Traits::outboard_parameters);
    time.mSampleTime = 0;
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    if (outboard_has_changed(last, parameters, Traits::outboard_parameters))
      Traits::outboard_change(&state, parameters);
    for (uint32_t c = 0; c < Traits::outboard_channels; c++)
      memmove(outputs[c], inputs[c], frame_count * sizeof(float));
    AudioUnitRenderActionFlags flags = 0;
    Traits::outboard_run(&state, &flags, &time, frame_count, buffers.at(outputs, frame_count));
    time.mSampleTime += frame_count;
  }

private:
  typename Traits::OutboardState state{};
  Fresh<typename Traits::OutboardState> fresh;
  float last[Traits::outboard_parameters + 1];
  AuBufferList buffers;
  AudioTimeStamp time = {0, 0, 1, 1};
};

} // namespace outboard

#define OUTBOARD_AU_EFFECT(Effect, channel_count, parameter_count)                                 \
  typedef outboard::AuEffectPort<Effect, channel_count, parameter_count> outboard_port;            \
  OUTBOARD_ENTRIES(outboard_port)

#define OUTBOARD_AU_KERNEL(Kernel, channel_count, parameter_count)                                 \
  typedef outboard::AuKernelPort<Kernel, channel_count, parameter_count> outboard_port;            \
  OUTBOARD_ENTRIES(outboard_port)

#define OUTBOARD_AU_RENDER(State, channel_count, parameter_count, init, set, render)               \
  struct outboard_traits {                                                                         \
    typedef State OutboardState;                                                                   \
    static const uint32_t outboard_channels = channel_count;                                       \
    static const uint32_t outboard_parameters = parameter_count;                                   \
    static void outboard_start(State *state, double sample_rate_hz) {                              \
      (void)state, (void)sample_rate_hz, init(state, sample_rate_hz);                              \
    }                                                                                              \
    static void outboard_change(State *state, const float *parameters) {                           \
      (void)state, (void)parameters, set(state, parameters);                                       \
    }                                                                                              \
    static void outboard_run(State *state, AudioUnitRenderActionFlags *flags,                      \
                             const AudioTimeStamp *time, UInt32 frame_count,                       \
                             AudioBufferList *list) {                                              \
      render(state, flags, time, 0, frame_count, list);                                            \
    }                                                                                              \
  };                                                                                               \
  typedef outboard::AuRenderPort<outboard_traits> outboard_port;                                   \
  OUTBOARD_ENTRIES(outboard_port)
