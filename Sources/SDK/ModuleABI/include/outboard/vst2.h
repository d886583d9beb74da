// vst2.h: VST2-style effect classes, without the SDK. SPDX-License-Identifier: MIT
//
//   OUTBOARD_VST2(Effect)        below the class: creates an instance with `new Effect(audioMaster)`
//   OUTBOARD_VST2_COPIED(Effect) for a class without `suspend` and without pointers to own memory: a
//                                reset assigns a copy of its initial value
//   OUTBOARD_VST2_FACTORY        for code with `createEffectInstance`, which creates an instance; a source
//                                with that function needs no line
//
// Parameters range from 0 to 1. Names and defaults are those of the effect, or of the `// outboard:` comment, in the
// order of parameter indices. `setInitialDelay` sets the latency. `suspend` and `resume` are the reset. For code with
// `long` arguments, use `#define OUTBOARD_VST2_LONG` before the include. If several files include `audioeffectx.h`,
// put both lines into a local file with that name.
#pragma once

#include "port.h"
#include "vst2_effect.h"

namespace outboard {

/// A module around an effect.
class Vst2Port {
public:
  Vst2Port(AudioEffect *made, double sample_rate_hz, uint32_t maximum_frame_count)
      : effect(made), description(*made->getAeffect()),
        inputs(uint32_t(description.numInputs), maximum_frame_count),
        heard(inputs.count()), outputs(uint32_t(description.numOutputs)), last(size_t(description.numParams)) {
    effect->open();
    effect->setSampleRate(float(sample_rate_hz));
    effect->setBlockSize(VstInt32(maximum_frame_count));
    effect->resume();
    forget();
  }
  ~Vst2Port() {
    effect->suspend();
    effect->close();
    delete effect;
  }
  Vst2Port(const Vst2Port &) = delete;
  Vst2Port &operator=(const Vst2Port &) = delete;

  void prepare(const float *parameters) {
    effect->suspend();
    set(parameters);
    effect->resume();
  }

  void reset() {
    effect->suspend();
    effect->resume();
    effect->outboardTime().samplePos = 0;
    queue.clear();
  }

  void process(const float *const *from, float *const *to, const float *parameters,
               uint32_t frame_count) {
    set(parameters);
    if (auto *listener = queue.isEmpty() ? nullptr : dynamic_cast<AudioEffectX *>(effect))
      listener->processEvents(queue.events());
    queue.clear();
    inputs.read(from, frame_count);
    // Effects increment these pointers.
    for (size_t c = 0; c < heard.size(); c++) heard[c] = inputs[uint32_t(c)];
    for (size_t c = 0; c < outputs.size(); c++) outputs[c] = to[c];
    effect->processReplacing(heard.data(), outputs.data(), VstInt32(frame_count));
    effect->outboardTime().samplePos += frame_count;
  }

  void midi(uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
    queue.add(frame, bytes, byte_count);
  }
  uint32_t latency() const { return uint32_t(effect->getAeffect()->initialDelay); }
  void shape(uint32_t *counts) const {
    set_shape(counts, inputs.count(), outputs.size(), last.size());
  }
  void describe(outboard_description &d) const {
    for (size_t p = 0; p < last.size(); p++) {
      char name[256] = "";
      effect->getParameterName(VstInt32(p), name);
      outboard_describe_parameter(
          &d, {nullptr, name, nullptr, nullptr, 0, effect->getParameter(VstInt32(p)), 1, nullptr, 0});
    }
  }

protected:
  /// Marks all parameters as changed for the next block.
  void forget() { outboard_forget(last.data(), uint32_t(last.size())); }
  AudioEffect *effect;

private:
  /// Sets the parameters that have changed.
  void set(const float *parameters) {
    for (size_t p = 0; p < last.size(); p++) {
      if (last[p] == parameters[p]) continue;
      last[p] = parameters[p];
      effect->setParameter(VstInt32(p), last[p]);
    }
  }
  const AEffect &description;
  Channels inputs;
  std::vector<float *> heard, outputs;
  std::vector<float> last;
  Vst2Queue queue;
};

template <AudioEffect *make(audioMasterCallback)> class Vst2Made : public Vst2Port {
public:
  Vst2Made(double sample_rate_hz, uint32_t maximum_frame_count)
      : Vst2Port(made(sample_rate_hz, maximum_frame_count), sample_rate_hz, maximum_frame_count) {}

private:
  static AudioEffect *made(double sample_rate_hz, uint32_t maximum_frame_count) {
    vst2_setup = {float(sample_rate_hz), VstInt32(maximum_frame_count)};
    AudioEffect *effect = make(vst2_master);
    if (effect == nullptr) throw std::bad_alloc();
    return effect;
  }
};

/// A module around an effect that is reset by assignment.
template <class Effect, AudioEffect *make(audioMasterCallback)>
class Vst2Copied : public Vst2Made<make> {
public:
  Vst2Copied(double sample_rate_hz, uint32_t maximum_frame_count)
      : Vst2Made<make>(sample_rate_hz, maximum_frame_count), fresh(current()) {}
  void prepare(const float *parameters) {
    Vst2Port::prepare(parameters);
    fresh = current();
  }
  void reset() {
    Vst2Port::reset();
    current() = fresh;
    this->forget();
  }

private:
  Effect &current() { return *static_cast<Effect *>(this->effect); }
  Effect fresh;
};

} // namespace outboard

/// The function that older code exports and OUTBOARD_VST2_FACTORY calls.
AudioEffect *createEffectInstance(audioMasterCallback master);

#define OUTBOARD_VST2_FACTORY OUTBOARD_ENTRIES(outboard::Vst2Made<createEffectInstance>)
#define OUTBOARD_VST2_MAKE(Effect)                                                                 \
  static AudioEffect *outboard_make_effect(audioMasterCallback master) {                           \
    return new Effect(master);                                                                     \
  }
#define OUTBOARD_VST2(Effect)                                                                      \
  OUTBOARD_VST2_MAKE(Effect)                                                                       \
  OUTBOARD_ENTRIES(outboard::Vst2Made<outboard_make_effect>)
#define OUTBOARD_VST2_COPIED(Effect)                                                               \
  OUTBOARD_VST2_MAKE(Effect)                                                                       \
  typedef outboard::Vst2Copied<Effect, outboard_make_effect> outboard_port;                        \
  OUTBOARD_ENTRIES(outboard_port)
