// juce.h: JUCE-style processors and DSP classes, without JUCE. SPDX-License-Identifier: MIT
//
//   OUTBOARD_JUCE(Processor, channel_count)
//     a class with prepareToPlay and processBlock. Parameters are those of `addParameter` or of an
//     AudioProcessorValueTreeState, in order, with their names and ranges, unless the `// outboard:`
//     comment declares others.
//   OUTBOARD_JUCE_FACTORY
//     for code with `createPluginFilter`; a source with that function needs no line
//   OUTBOARD_JUCE_SET(Processor, channel_count, parameter_count, set)
//     a processor with `void set(Processor &, const float *parameters)`, called after a parameter change
//   OUTBOARD_JUCE_DSP(Class, channel_count, parameter_count, set)
//     a class with prepare(const dsp::ProcessSpec &), reset() and process(context)
//
// These headers implement what usual effects call: buffers, MIDI messages, parameters, smoothing, filters,
// delays and arithmetic (juce_*.h). User interface classes are only declared. There is no file access.
#pragma once

#include "juce_delay.h"
#include "juce_dynamics.h"
#include "juce_effects.h"
#include "juce_filters.h"
#include "juce_gui.h"
#include "juce_modulation.h"
#include "juce_oversampling.h"
#include "juce_processor.h"
#include "juce_reverb.h"
#include "juce_synth.h"
#include "juce_values.h"
#include "port.h"

namespace outboard {

template <class Class> auto juce_prepare(Class &effect, double rate, int frames, int)
    -> decltype(effect.setRateAndBufferSizeDetails(rate, frames), void()) {
  effect.setRateAndBufferSizeDetails(rate, frames);
}
template <class Class> void juce_prepare(Class &, double, int, long) {}

template <class Class> auto juce_latency(const Class &effect, int)
    -> decltype(uint32_t(effect.getLatencySamples())) {
  return uint32_t(effect.getLatencySamples());
}
template <class Class> uint32_t juce_latency(const Class &, long) { return OUTBOARD_LATENCY; }

template <class Class> auto juce_run(Class &effect, juce::AudioBuffer<float> &buffer,
                                     juce::MidiBuffer &midi, int)
    -> decltype(effect.processBlock(buffer, midi), void()) {
  effect.processBlock(buffer, midi);
}
template <class Class>
void juce_run(Class &effect, juce::AudioBuffer<float> &buffer, juce::MidiBuffer &, long) {
  effect.processBlock(buffer);
}

/// Clears with `reset`, or by preparing again if there is none.
template <class Class> auto juce_reset(Class &effect, double, int, int)
    -> decltype(effect.reset(), void()) {
  effect.reset();
}
template <class Class> void juce_reset(Class &effect, double rate, int frames, long) {
  effect.prepareToPlay(rate, frames);
}

template <class Class> auto juce_begin(Class &effect, float *const *rows, int channels, int frames, int)
    -> decltype(effect.outboardBegin(rows, channels, frames), void()) {
  effect.outboardBegin(rows, channels, frames);
}
template <class Class> void juce_begin(Class &, float *const *, int, int, long) {}
template <class Class> auto juce_rewind(Class &effect, int) -> decltype(effect.outboardReset(), void()) {
  effect.outboardReset();
}
template <class Class> void juce_rewind(Class &, long) {}

/// Sets the parameters that a processor has declared.
struct JuceOwnParameters {
  template <class Processor> static uint32_t outboard_count(const Processor &processor) {
    return uint32_t(processor.getParameters().size());
  }
  template <class Processor> static void outboard_apply(Processor &processor, const float *values) {
    for (auto *parameter : processor.getParameters()) parameter->take(*values++);
  }
  template <class Processor>
  static void outboard_tell(const Processor &processor, outboard_description &d) {
    for (auto *parameter : processor.getParameters())
      outboard_describe_parameter(&d, parameter->describe());
  }
};

/// A module around a processor.
template <class Processor, uint32_t channel_count, class Setter> class JucePort : public Port {
public:
  JucePort(double sample_rate_hz, uint32_t maximum_frame_count)
      : rate(sample_rate_hz), longest(int(maximum_frame_count)), last(Setter::outboard_count(processor)) {
    outboard_forget(last.data(), uint32_t(last.size()));
    prepare_to_play();
  }
  void prepare(const float *parameters) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      Setter::outboard_apply(processor, parameters);
    prepare_to_play();
  }
  void reset() {
    juce_reset(processor, rate, longest, 0);
    juce_rewind(processor, 0);
    outboard_forget(last.data(), uint32_t(last.size()));
    messages.clear();
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      Setter::outboard_apply(processor, parameters);
    // The buffer uses the output memory and contains the input.
    for (uint32_t c = 0; c < channel_count; c++)
      memmove(outputs[c], inputs[c], frame_count * sizeof(float));
    juce_begin(processor, outputs, int(channel_count), int(frame_count), 0);
    juce::AudioBuffer<float> buffer(outputs, channel_count, int(frame_count));
    juce_run(processor, buffer, messages, 0);
    messages.clear();
  }
  void midi(uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
    messages.addEvent(bytes, int(byte_count), int(frame));
  }
  uint32_t latency() const { return juce_latency(processor, 0); }
  void shape(uint32_t *counts) const { set_shape(counts, channel_count, channel_count, last.size()); }
  void describe(outboard_description &d) const { Setter::outboard_tell(processor, d); }

private:
  void prepare_to_play() {
    juce_prepare(processor, rate, longest, 0);
    processor.prepareToPlay(rate, longest);
    juce_rewind(processor, 0);
  }
  Processor processor;
  double rate;
  int longest;
  std::vector<float> last;
  juce::MidiBuffer messages;
};

/// A module around the result of a factory, with its numbers of inputs and outputs.
template <juce::AudioProcessor *make()> class JuceMadePort : public Port {
public:
  JuceMadePort(double sample_rate_hz, uint32_t maximum_frame_count)
      : processor(make()), rate(sample_rate_hz), longest(int(maximum_frame_count)),
        last(size_t(processor->getParameters().size())),
        extra(uint32_t(jmax(inputs(), outputs())), maximum_frame_count), rows(extra.count()) {
    outboard_forget(last.data(), uint32_t(last.size()));
    prepare_to_play();
  }
  ~JuceMadePort() { processor->releaseResources(); }
  void prepare(const float *parameters) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      JuceOwnParameters::outboard_apply(*processor, parameters);
    prepare_to_play();
  }
  void reset() {
    processor->reset();
    processor->outboardReset();
    outboard_forget(last.data(), uint32_t(last.size()));
    messages.clear();
  }
  void process(const float *const *from, float *const *to, const float *parameters, uint32_t frame_count) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      JuceOwnParameters::outboard_apply(*processor, parameters);
    // The buffer uses the output memory, and more if there are more inputs than outputs.
    for (size_t c = 0; c < rows.size(); c++) {
      rows[c] = c < size_t(outputs()) ? to[c] : extra[uint32_t(c)];
      if (c < size_t(inputs())) memmove(rows[c], from[c], frame_count * sizeof(float));
      else memset(rows[c], 0, frame_count * sizeof(float));
    }
    processor->outboardBegin(rows.data(), int(rows.size()), int(frame_count));
    juce::AudioBuffer<float> buffer(rows.data(), int(rows.size()), int(frame_count));
    processor->processBlock(buffer, messages);
    messages.clear();
  }
  void midi(uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
    messages.addEvent(bytes, int(byte_count), int(frame));
  }
  uint32_t latency() const { return uint32_t(processor->getLatencySamples()); }
  void shape(uint32_t *counts) const { set_shape(counts, size_t(inputs()), size_t(outputs()), last.size()); }
  void describe(outboard_description &d) const { JuceOwnParameters::outboard_tell(*processor, d); }
  void describe_channels(outboard_description &d) const {
    processor->outboardChannels(true).describe(d, "inputs");
    processor->outboardChannels(false).describe(d, "outputs");
  }

private:
  void prepare_to_play() {
    processor->setRateAndBufferSizeDetails(rate, longest);
    processor->prepareToPlay(rate, longest);
    processor->outboardReset();
  }
  static int jmax(int a, int b) { return a < b ? b : a; }
  int inputs() const { return processor->getTotalNumInputChannels(); }
  int outputs() const { return processor->getTotalNumOutputChannels(); }
  std::unique_ptr<juce::AudioProcessor> processor;
  double rate;
  int longest;
  std::vector<float> last;
  Channels extra;
  std::vector<float *> rows;
  juce::MidiBuffer messages;
};

/// A module around a DSP class.
template <class Class, uint32_t channel_count, class Setter> class JuceDspPort : public Port {
public:
  JuceDspPort(double sample_rate_hz, uint32_t maximum_frame_count)
      : terms{sample_rate_hz, maximum_frame_count, channel_count}, last(Setter::outboard_count(effect)) {
    outboard_forget(last.data(), uint32_t(last.size()));
    effect.prepare(terms);
  }
  void prepare(const float *parameters) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      Setter::outboard_apply(effect, parameters);
    effect.prepare(terms);
  }
  void reset() {
    clear(effect, 0);
    outboard_forget(last.data(), uint32_t(last.size()));
  }
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    if (outboard_has_changed(last.data(), parameters, uint32_t(last.size())))
      Setter::outboard_apply(effect, parameters);
    for (uint32_t c = 0; c < channel_count; c++)
      memmove(outputs[c], inputs[c], frame_count * sizeof(float));
    juce::dsp::AudioBlock<float> block(outputs, channel_count, frame_count);
    effect.process(juce::dsp::ProcessContextReplacing<float>(block));
  }
  void shape(uint32_t *counts) const { set_shape(counts, channel_count, channel_count, last.size()); }

private:
  Class effect;
  juce::dsp::ProcessSpec terms;
  std::vector<float> last;
};

} // namespace outboard

/// The functions that plugins of the library define.
juce::AudioProcessor *createPluginFilter();

#define OUTBOARD_JUCE_FACTORY OUTBOARD_ENTRIES(outboard::JuceMadePort<createPluginFilter>)

#define OUTBOARD_JUCE(Processor, channel_count)                                                    \
  typedef outboard::JucePort<Processor, channel_count, outboard::JuceOwnParameters> outboard_port; \
  OUTBOARD_ENTRIES(outboard_port)

#define OUTBOARD_JUCE_SETTER(Class, parameter_count, set_function)                                 \
  struct outboard_setter {                                                                         \
    static uint32_t outboard_count(const Class &) { return parameter_count; }                      \
    static void outboard_apply(Class &effect, const float *parameters) {                           \
      (void)effect, (void)parameters, set_function(effect, parameters);                            \
    }                                                                                              \
    static void outboard_tell(const Class &, outboard_description &) {}                            \
  };

#define OUTBOARD_JUCE_SET(Processor, channel_count, parameter_count, set)                          \
  OUTBOARD_JUCE_SETTER(Processor, parameter_count, set)                                            \
  typedef outboard::JucePort<Processor, channel_count, outboard_setter> outboard_port;             \
  OUTBOARD_ENTRIES(outboard_port)

#define OUTBOARD_JUCE_DSP(Class, channel_count, parameter_count, set)                              \
  OUTBOARD_JUCE_SETTER(Class, parameter_count, set)                                                \
  typedef outboard::JuceDspPort<Class, channel_count, outboard_setter> outboard_port;              \
  OUTBOARD_ENTRIES(outboard_port)
