// au.h: Audio Unit-style kernels, effects and render functions, without the SDK.
// SPDX-License-Identifier: MIT
//
//   OUTBOARD_AU_KERNEL(Kernel, channel_count, parameter_count)
//     one kernel per channel: Process(const float *in, float *out, UInt32 frames, ...). The constructor is
//     `Kernel(AUEffectBase *)` or `Kernel()`.
//   OUTBOARD_AU_EFFECT(Effect, channel_count, parameter_count)
//     a subclass of AUEffectBase with `NewKernel` or `ProcessBufferLists`
//   OUTBOARD_AU_COMPONENT
//     the class of COMPONENT_ENTRY or AUDIOCOMPONENT_ENTRY; a source with such an entry needs no line
//   OUTBOARD_AU_RENDER(State, channel_count, parameter_count, init, set, render)
//     OSStatus render(State *, AudioUnitRenderActionFlags *, const AudioTimeStamp *, UInt32 bus,
//                     UInt32 frames, AudioBufferList *) in place; init and set as in tick.h
//
// Parameters have indices from 0, which `GetParameter` receives. Names and ranges are those of
// `GetParameterInfo` or of the `// outboard:` comment. The result of `GetLatency`, in seconds, is reported.
#pragma once

#include "au_types.h"
#include "port.h"

namespace outboard {

/// A buffer list with one buffer per channel, in its own memory.
class AuBufferList {
public:
  explicit AuBufferList(uint32_t channel_count)
      : memory(new char[sizeof(AudioBufferList) + channel_count * sizeof(AudioBuffer)]) {
    list()->mNumberBuffers = channel_count;
  }
  /// Points the list to channels. Buffer lists have no const: do not write to read-only channels.
  AudioBufferList *at(float *const *rows, uint32_t frame_count) {
    for (uint32_t c = 0; c < list()->mNumberBuffers; c++)
      list()->mBuffers[c] = {1, UInt32(frame_count * sizeof(float)), rows[c]};
    return list();
  }

private:
  AudioBufferList *list() { return reinterpret_cast<AudioBufferList *>(memory.get()); }
  std::unique_ptr<char[]> memory;
};

// Variants of kernel calls and of constructors.
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
class AuUnitPort : public Port {
public:
  AuUnitPort(AUEffectBase *made, uint32_t channels, uint32_t parameters, double sample_rate_hz,
             uint32_t maximum_frame_count)
      : rate(sample_rate_hz), effect(made), channel_count(channels), parameter_count(parameters),
        copies(channels, maximum_frame_count), input(channels), output(channels) {
    effect->Prepare(channels, parameters, maximum_frame_count);
  }
  ~AuUnitPort() { effect->Cleanup(); }
  void prepare(const float *parameters) {
    effect->Cleanup();
    effect->SetParameters(parameters, parameter_count);
    effect->Prepare(channel_count, parameter_count, effect->GetMaxFramesPerSlice());
  }
  void reset() {
    effect->Reset(kAudioUnitScope_Global, 0);
    effect->OutboardRewind();
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    effect->SetParameters(parameters, parameter_count);
    copies.read(inputs, frame_count);
    AudioUnitRenderActionFlags flags = 0;
    effect->ProcessBufferLists(flags, *input.at(copies.data(), frame_count),
                               *output.at(outputs, frame_count), frame_count);
    effect->OutboardAdvance(frame_count);
  }
  uint32_t latency() const { return uint32_t(lrint(effect->GetLatency() * rate)); }
  void shape(uint32_t *counts) const {
    set_shape(counts, channel_count, channel_count, parameter_count);
  }
  void describe(outboard_description &d) const {
    for (UInt32 p = 0; p < parameter_count; p++) {
      AudioUnitParameterInfo info = {};
      if (effect->GetParameterInfo(kAudioUnitScope_Global, p, info) != noErr) continue;
      const auto labels = choices(info, p);
      outboard_describe_parameter(
          &d, {nullptr, info.cfNameString == nullptr ? info.name : info.cfNameString->characters,
               au_unit(info), au_scale(info), info.minValue, info.defaultValue, info.maxValue,
               labels.empty() ? nullptr : labels.data(), uint32_t(labels.size())});
    }
  }

private:
  /// The labels of the values of an indexed parameter; empty if it has none.
  std::vector<const char *> choices(const AudioUnitParameterInfo &info, UInt32 p) const {
    std::vector<const char *> labels;
    CFArrayRef list = nullptr;
    if (info.unit != kAudioUnitParameterUnit_Indexed ||
        effect->GetParameterValueStrings(kAudioUnitScope_Global, p, &list) != noErr || list == nullptr)
      return labels;
    for (const void *item : list->items) labels.push_back(static_cast<CFStringRef>(item)->characters);
    CFRelease(list);
    if (float(labels.size()) != info.maxValue - info.minValue + 1) labels.clear();
    return labels;
  }
  double rate;
  std::unique_ptr<AUEffectBase> effect;
  uint32_t channel_count, parameter_count;
  Channels copies;
  AuBufferList input;
  AuBufferList output;
};

/// A module around an effect with known counts of channels and parameters.
template <class Effect, uint32_t channels, uint32_t parameters>
class AuEffectPort : public AuUnitPort {
public:
  AuEffectPort(double sample_rate_hz, uint32_t maximum_frame_count)
      : AuUnitPort(made(sample_rate_hz), channels, parameters, sample_rate_hz,
                   maximum_frame_count) {}

private:
  static AUEffectBase *made(double sample_rate_hz) {
    au_sample_rate_hz = sample_rate_hz;
    return au_make<Effect>(static_cast<OpaqueAudioUnit *>(nullptr));
  }
};

template <class Class> AUEffectBase *au_component() {
  if constexpr (std::is_base_of<AUEffectBase, Class>::value)
    return au_make<Class>(static_cast<OpaqueAudioUnit *>(nullptr));
  else
    return nullptr;
}

/// A module around the class of a component entry, with the counts of the class.
template <AUEffectBase *make()> class AuComponentPort : public AuUnitPort {
public:
  AuComponentPort(double sample_rate_hz, uint32_t maximum_frame_count)
      : AuComponentPort(made(sample_rate_hz), sample_rate_hz, maximum_frame_count) {}

private:
  AuComponentPort(AUEffectBase *unit, double sample_rate_hz, uint32_t maximum_frame_count)
      : AuUnitPort(unit, channels(*unit), unit->CountParameters(), sample_rate_hz,
                   maximum_frame_count) {}
  static AUEffectBase *made(double sample_rate_hz) {
    au_sample_rate_hz = sample_rate_hz;
    AUEffectBase *unit = make();
    if (unit == nullptr) throw std::bad_alloc();
    return unit;
  }
  /// Stereo if possible, otherwise the first layout; -1 means any number.
  static uint32_t channels(AUEffectBase &unit) {
    const AUChannelInfo *list = nullptr;
    const UInt32 count = unit.SupportedNumChannels(&list);
    if (count == 0 || list == nullptr) return 2;
    for (UInt32 i = 0; i < count; i++)
      if ((list[i].inChannels < 0 || list[i].inChannels == 2) &&
          (list[i].outChannels < 0 || list[i].outChannels == 2))
        return 2;
    return list[0].outChannels > 0 ? uint32_t(list[0].outChannels) : 2;
  }
};

/// A module with one kernel per channel.
template <class Kernel, uint32_t channel_count, uint32_t parameter_count>
class AuKernelPort : public Port {
public:
  AuKernelPort(double sample_rate_hz, uint32_t maximum_frame_count) {
    au_sample_rate_hz = sample_rate_hz;
    unit.reset(new AUEffectBase());
    unit->Prepare(channel_count, parameter_count, maximum_frame_count);
    make_kernels();
  }
  void prepare(const float *parameters) {
    unit->SetParameters(parameters, parameter_count);
    make_kernels();
  }
  void reset() {
    for (auto &kernel : kernels) clear(*kernel, 0);
    unit->OutboardRewind();
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    unit->SetParameters(parameters, parameter_count);
    for (uint32_t c = 0; c < channel_count; c++)
      au_process(*kernels[c], inputs[c], outputs[c], frame_count, 0);
    unit->OutboardAdvance(frame_count);
  }
  void shape(uint32_t *counts) const {
    set_shape(counts, channel_count, channel_count, parameter_count);
  }

private:
  void make_kernels() {
    for (auto &kernel : kernels) kernel.reset(au_make<Kernel>(unit.get()));
    reset(); // many kernels initialise their state only there
  }
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
  void shape(uint32_t *counts) const {
    set_shape(counts, Traits::outboard_channels, Traits::outboard_channels,
              Traits::outboard_parameters);
  }

private:
  typename Traits::OutboardState state{};
  Fresh<typename Traits::OutboardState> fresh;
  float last[Traits::outboard_parameters + 1];
  AuBufferList buffers;
  AudioTimeStamp time = {0, 0, 1, 1};
};

} // namespace outboard

/// The definition for COMPONENT_ENTRY and AUDIOCOMPONENT_ENTRY of the code.
AUEffectBase *outboard_au_component();

#define OUTBOARD_AU_COMPONENT OUTBOARD_ENTRIES(outboard::AuComponentPort<outboard_au_component>)

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
