// juce_dsp.h: JUCE-style processors: chains, gains, delays, mixers. SPDX-License-Identifier: MIT
#pragma once

#include "juce_filters.h"

#include <tuple>

namespace juce {
namespace dsp {

/// Processors in series.
template <class... Processors> class ProcessorChain {
public:
  template <int index> auto &get() { return std::get<size_t(index)>(all); }
  template <int index> const auto &get() const { return std::get<size_t(index)>(all); }
  template <int index> void setBypassed(bool is) { bypassed[size_t(index)] = is; }
  template <int index> bool isBypassed() const { return bypassed[size_t(index)]; }
  void prepare(const ProcessSpec &spec) {
    std::apply([&](auto &...one) { (one.prepare(spec), ...); }, all);
  }
  void reset() {
    std::apply([](auto &...one) { (one.reset(), ...); }, all);
  }
  template <class Context> void process(const Context &context) { run(context, std::index_sequence_for<Processors...>()); }

private:
  template <class Context, size_t... index> void run(const Context &context, std::index_sequence<index...>) {
    (runOne<index>(context), ...);
  }
  template <size_t index, class Context> void runOne(const Context &context) {
    if (bypassed[index] && !context.usesSeparateInputAndOutputBlocks()) return;
    if (index == 0 && context.usesSeparateInputAndOutputBlocks()) context.getOutputBlock().copyFrom(context.getInputBlock());
    ProcessContextReplacing<typename Context::SampleType> in_place(context.getOutputBlock());
    in_place.isBypassed = context.isBypassed || bypassed[index];
    std::get<index>(all).process(in_place);
  }
  std::tuple<Processors...> all;
  std::array<bool, sizeof...(Processors)> bypassed{};
};
template <int index, class Chain> auto &get(Chain &chain) { return chain.template get<index>(); }
template <int index, class Chain> void setBypassed(Chain &chain, bool is) { chain.template setBypassed<index>(is); }
template <int index, class Chain> bool isBypassed(Chain &chain) { return chain.template isBypassed<index>(); }

/// The base class of processors that process each sample of each channel separately.
template <class Derived, class T> struct SampleProcessor {
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++)
      for (size_t c = 0; c < out.getNumChannels(); c++) {
        const T x = in.getChannelPointer(c)[i];
        const T y = static_cast<Derived *>(this)->processSample(int(c), x);
        out.getChannelPointer(c)[i] = context.isBypassed ? x : y;
      }
  }
};

template <class T> class Gain {
public:
  void setGainLinear(T value) { gain.setTargetValue(value); }
  void setGainDecibels(T value) { setGainLinear(Decibels::decibelsToGain(value)); }
  T getGainLinear() const { return gain.getTargetValue(); }
  T getGainDecibels() const { return Decibels::gainToDecibels(getGainLinear()); }
  void setRampDurationSeconds(double seconds) {
    ramp = seconds;
    reset();
  }
  double getRampDurationSeconds() const { return ramp; }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    reset();
  }
  void reset() {
    if (rate > 0) gain.reset(rate, ramp);
  }
  T processSample(T x) { return x * gain.getNextValue(); }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T factor = context.isBypassed ? T(1) : gain.getNextValue();
      for (size_t c = 0; c < out.getNumChannels(); c++) out.getChannelPointer(c)[i] = in.getChannelPointer(c)[i] * factor;
    }
  }

private:
  SmoothedValue<T> gain{T(1)};
  double rate = 0, ramp = 0;
};

template <class T> class Bias {
public:
  void setBias(T value) { bias = value; }
  void setRampDurationSeconds(double) {}
  void prepare(const ProcessSpec &) {}
  void reset() {}
  T processSample(T x) const { return x + bias; }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t c = 0; c < out.getNumChannels(); c++)
      for (size_t i = 0; i < out.getNumSamples(); i++)
        out.getChannelPointer(c)[i] = in.getChannelPointer(c)[i] + (context.isBypassed ? T() : bias);
  }

private:
  T bias = T();
};

template <class T, class Function = T (*)(T)> struct WaveShaper {
  Function functionToUse{};
  void prepare(const ProcessSpec &) {}
  void reset() {}
  T processSample(T x) const { return functionToUse(x); }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t c = 0; c < out.getNumChannels(); c++)
      for (size_t i = 0; i < out.getNumSamples(); i++) {
        const T x = in.getChannelPointer(c)[i];
        out.getChannelPointer(c)[i] = context.isBypassed ? x : functionToUse(x);
      }
  }
};

template <class T> class Oscillator {
public:
  Oscillator() {}
  Oscillator(std::function<T(T)> wave, size_t = 0) { initialise(std::move(wave)); }
  void initialise(std::function<T(T)> wave, size_t = 0) { shape = std::move(wave); }
  void setFrequency(T value, bool = false) { hz = value; }
  T getFrequency() const { return hz; }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    reset();
  }
  void reset() { phase = 0; }
  T processSample(T x) {
    const T y = shape ? shape(T(phase - MathConstants<double>::pi)) : T();
    phase = std::fmod(phase + MathConstants<double>::twoPi * double(hz) / rate, MathConstants<double>::twoPi);
    return x + y;
  }
  template <class Context> void process(const Context &context) {
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T y = processSample(T());
      for (size_t c = 0; c < out.getNumChannels(); c++) out.getChannelPointer(c)[i] = context.getInputBlock().getChannelPointer(c)[i] + y;
    }
  }

private:
  std::function<T(T)> shape;
  T hz = T(440);
  double rate = 44100, phase = 0;
};

namespace DelayLineInterpolationTypes {
struct None {};
struct Linear {};
struct Lagrange3rd {};
struct Thiran {};
} // namespace DelayLineInterpolationTypes

/// A delay line that interpolates linearly between samples.
template <class T, class Kind = DelayLineInterpolationTypes::Linear> class DelayLine {
public:
  DelayLine() : DelayLine(0) {}
  explicit DelayLine(int most) { setMaximumDelayInSamples(most); }
  void setMaximumDelayInSamples(int most) {
    length = jmax(4, most + 2);
    prepare({44100, 1, uint32(jmax(size_t(1), write.size()))});
  }
  int getMaximumDelayInSamples() const { return length - 2; }
  void setDelay(T value) { delay = jlimit(T(), T(length - 2), value); }
  T getDelay() const { return delay; }
  void prepare(const ProcessSpec &spec) {
    memory.setSize(int(spec.numChannels), length);
    write.assign(spec.numChannels, 0);
    reset();
  }
  void reset() { memory.clear(); }
  void pushSample(int c, T x) {
    int &at = write[size_t(c)];
    memory.setSample(c, at, x);
    at = (at + 1) % length;
  }
  T popSample(int c, T frames = T(-1), bool = true) {
    if (frames >= 0) setDelay(frames);
    const int whole = int(delay);
    const int at = (write[size_t(c)] - 1 - whole + 2 * length) % length;
    const T near = memory.getSample(c, at);
    if (std::is_same<Kind, DelayLineInterpolationTypes::None>::value) return near;
    return near + (memory.getSample(c, (at + length - 1) % length) - near) * (delay - T(whole));
  }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t c = 0; c < out.getNumChannels(); c++)
      for (size_t i = 0; i < out.getNumSamples(); i++) {
        const T x = in.getChannelPointer(c)[i];
        pushSample(int(c), x);
        const T y = popSample(int(c));
        out.getChannelPointer(c)[i] = context.isBypassed ? x : y;
      }
  }

private:
  AudioBuffer<T> memory;
  std::vector<int> write;
  int length = 4;
  T delay = T();
};

enum class DryWetMixingRule { linear, balanced, sin3dB, sin4p5dB, sin6dB, squareRoot3dB, squareRoot4p5dB };

/// Mixes the dry input with the processed signal.
template <class T> class DryWetMixer {
public:
  DryWetMixer() : DryWetMixer(0) {}
  explicit DryWetMixer(int longest) : line(longest) {}
  void setMixingRule(DryWetMixingRule is) { rule = is; }
  void setWetMixProportion(T share) { wet = jlimit(T(), T(1), share); }
  void setWetLatency(T frames) { line.setDelay(frames); }
  void prepare(const ProcessSpec &spec) {
    line.prepare(spec);
    dry.setSize(int(spec.numChannels), int(spec.maximumBlockSize));
  }
  void reset() { line.reset(); }
  void pushDrySamples(const AudioBlock<T> &block) {
    for (size_t c = 0; c < block.getNumChannels(); c++)
      for (size_t i = 0; i < block.getNumSamples(); i++) {
        line.pushSample(int(c), block.getChannelPointer(c)[i]);
        dry.setSample(int(c), int(i), line.popSample(int(c)));
      }
  }
  void mixWetSamples(const AudioBlock<T> &block) {
    const T half = MathConstants<T>::halfPi;
    T out = wet, in = 1 - wet;
    if (rule == DryWetMixingRule::balanced) in = jmin(T(1), 2 * in), out = jmin(T(1), 2 * out);
    if (rule == DryWetMixingRule::sin3dB) in = std::sin(half * in), out = std::sin(half * out);
    if (rule == DryWetMixingRule::sin4p5dB) in = std::pow(std::sin(half * in), T(1.5)), out = std::pow(std::sin(half * out), T(1.5));
    if (rule == DryWetMixingRule::sin6dB) in = square(std::sin(half * in)), out = square(std::sin(half * out));
    if (rule == DryWetMixingRule::squareRoot3dB) in = std::sqrt(in), out = std::sqrt(out);
    if (rule == DryWetMixingRule::squareRoot4p5dB) in = std::pow(in, T(0.75)), out = std::pow(out, T(0.75));
    for (size_t c = 0; c < block.getNumChannels(); c++)
      for (size_t i = 0; i < block.getNumSamples(); i++) {
        T &sample = block.getChannelPointer(c)[i];
        sample = sample * out + dry.getSample(int(c), int(i)) * in;
      }
  }

private:
  DelayLine<T> line;
  AudioBuffer<T> dry;
  DryWetMixingRule rule = DryWetMixingRule::linear;
  T wet = T(1);
};

struct FastMathApproximations {
  template <class T> static T tanh(T x) { return x * (135135 + x * x * (17325 + x * x * (378 + x * x))) / (135135 + x * x * (62370 + x * x * (3150 + 28 * x * x))); }
  template <class T> static T sin(T x) { return std::sin(x); }
  template <class T> static T cos(T x) { return std::cos(x); }
  template <class T> static T exp(T x) { return std::exp(x); }
};

} // namespace dsp
} // namespace juce
