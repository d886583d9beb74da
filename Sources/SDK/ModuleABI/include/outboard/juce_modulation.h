// juce_modulation.h: JUCE-style chorus, phaser and panner. SPDX-License-Identifier: MIT
#pragma once

#include "juce_delay.h"
#include "juce_effects.h"

namespace juce {
namespace dsp {

/// The common part of effects with an oscillator, feedback and a mix.
template <class T> class Modulation {
public:
  void setRate(T value) { wave.setFrequency(value); }
  void setDepth(T value) { depth.setTargetValue(value / 2); }
  void setFeedback(T value) { feedback.setTargetValue(value); }
  void setMix(T value) { mixer.setWetMixProportion(value); }

protected:
  /// The oscillator runs once in a number of frames.
  Modulation(T start, uint32 frames) : spacing(frames) {
    wave.initialise([](T x) { return std::sin(x); });
    setRate(T(1));
    setDepth(start);
    setFeedback(T(0));
    setMix(T(0.5));
  }
  void prepareAll(ProcessSpec spec) {
    rate = spec.sampleRate;
    mixer.prepare(spec);
    last.assign(spec.numChannels, T());
    spec.sampleRate /= spacing;
    wave.prepare(spec);
    resetAll();
  }
  void resetAll() {
    std::fill(last.begin(), last.end(), T());
    depth.reset(rate / spacing, 0.05);
    feedback.reset(rate, 0.05);
    wave.reset();
    mixer.reset();
    frame = 0;
  }
  /// Calls `change` with the oscillator's values, then `run` for each channel of a frame.
  template <class Context, class Change, class Run> void processAll(const Context &context, Change change, Run run) {
    if (passesBypassed(context)) return;
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    mixer.pushDrySamples(in);
    for (size_t i = 0; i < out.getNumSamples(); i++, frame++) {
      if (frame % spacing == 0) {
        const T value = wave.processSample(T());
        change(value * depth.getNextValue());
      }
      const T back = feedback.getNextValue();
      for (size_t c = 0; c < out.getNumChannels(); c++) {
        const T y = run(int(c), in.getChannelPointer(c)[i] - last[c]);
        last[c] = y * back;
        out.getChannelPointer(c)[i] = y;
      }
    }
    mixer.mixWetSamples(out);
  }
  double rate = 44100;

private:
  Oscillator<T> wave;
  SmoothedValue<T> depth, feedback;
  std::vector<T> last;
  DryWetMixer<T> mixer;
  uint32 spacing, frame = 0;
};

template <class T> class Chorus : public Modulation<T> {
public:
  Chorus() : Modulation<T>(T(0.25), 1) {}
  void setCentreDelay(T milliseconds) { centre = jlimit(T(1), T(100), milliseconds); }
  void prepare(const ProcessSpec &spec) {
    line.setMaximumDelayInSamples(int(std::ceil(0.11 * spec.sampleRate)));
    line.prepare(spec);
    this->prepareAll(spec);
  }
  void reset() { line.reset(), this->resetAll(); }
  template <class Context> void process(const Context &context) {
    const T frames = T(this->rate / 1000);
    this->processAll(
        context, [&](T wave) { line.setDelay(jmax(T(1), 20 * wave + centre) * frames); },
        [&](int c, T x) { return line.pushSample(c, x), line.popSample(c); });
  }

private:
  DelayLine<T> line;
  T centre = T(7);
};

template <class T> class Phaser : public Modulation<T> {
public:
  Phaser() : Modulation<T>(T(0.5), 4) {}
  void setCentreFrequency(T value) { middle = mapFromLog10(value, T(20), highest()); }
  void prepare(const ProcessSpec &spec) {
    for (auto &filter : filters) {
      filter.setType(FirstOrderTPTFilterType::allpass);
      filter.prepare(spec);
    }
    this->prepareAll(spec);
  }
  void reset() {
    for (auto &filter : filters) filter.reset();
    this->resetAll();
  }
  template <class Context> void process(const Context &context) {
    this->processAll(
        context,
        [&](T wave) {
          const T value = mapToLog10(jlimit(T(0), T(1), wave + middle), T(20), highest());
          for (auto &filter : filters) filter.setCutoffFrequency(value);
        },
        [&](int c, T x) {
          for (auto &filter : filters) x = filter.processSample(c, x);
          return x;
        });
  }

private:
  T highest() const { return T(jmin(20000.0, 0.49 * this->rate)); }
  std::array<FirstOrderTPTFilter<T>, 6> filters;
  T middle = T(0.5); // on a logarithmic scale
};

enum class PannerRule { linear, balanced, sin3dB, sin4p5dB, sin6dB, squareRoot3dB, squareRoot4p5dB };

template <class T> class Panner {
public:
  typedef PannerRule Rule;
  void setRule(Rule is) { rule = is, update(); }
  void setPan(T value) { pan = jlimit(T(-1), T(1), value), update(); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    reset();
  }
  void reset() {
    for (auto &gain : gains) gain.reset(rate, 0.05);
  }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    if (out.getNumChannels() != 2 || in.getNumChannels() == 0) return;
    const size_t last = in.getNumChannels() - 1;
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T x[2] = {in.getChannelPointer(0)[i], in.getChannelPointer(jmin(size_t(1), last))[i]};
      for (size_t c = 0; c < 2; c++)
        out.getChannelPointer(c)[i] = context.isBypassed ? x[c] : x[c] * gains[c].getNextValue();
    }
  }

private:
  /// The gain of a side, by its part of the path; both are 1 in the middle.
  T gain(T share) const {
    const T half = MathConstants<T>::halfPi;
    switch (rule) {
    case Rule::balanced: return 2 * jmin(T(0.5), share);
    case Rule::linear: return 2 * share;
    case Rule::sin3dB: return std::sqrt(T(2)) * std::sin(half * share);
    case Rule::sin4p5dB: return std::pow(std::sqrt(T(2)) * std::sin(half * share), T(1.5));
    case Rule::sin6dB: return 2 * square(std::sin(half * share));
    case Rule::squareRoot3dB: return std::sqrt(2 * share);
    default: return std::pow(2 * share, T(0.75));
    }
  }
  void update() {
    gains[0].setTargetValue(gain((1 - pan) / 2));
    gains[1].setTargetValue(gain((1 + pan) / 2));
  }
  Rule rule = Rule::balanced;
  T pan = T(0);
  double rate = 44100;
  SmoothedValue<T> gains[2] = {T(1), T(1)};
};

} // namespace dsp
} // namespace juce
