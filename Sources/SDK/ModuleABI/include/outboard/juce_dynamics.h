// juce_dynamics.h: JUCE-style envelopes, compressor, gate, limiter and ladder filter. SPDX-License-Identifier: MIT
#pragma once

#include "juce_dsp.h"

namespace juce {
namespace dsp {

enum class BallisticsFilterLevelCalculationType { peak, RMS };

/// An envelope follower with attack and release times, of peaks or of the mean power.
template <class T> class BallisticsFilter : public SampleProcessor<BallisticsFilter<T>, T> {
public:
  typedef BallisticsFilterLevelCalculationType LevelCalculationType;
  void setAttackTime(T ms) { attack = ms, update(); }
  void setReleaseTime(T ms) { release = ms, update(); }
  void setLevelCalculationType(LevelCalculationType is) { type = is, reset(); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    levels.assign(spec.numChannels, T());
    update();
  }
  void reset(T value = T()) { std::fill(levels.begin(), levels.end(), value); }
  T processSample(int c, T x) {
    const bool isPower = type == LevelCalculationType::RMS;
    T &level = levels[size_t(c)];
    x = isPower ? x * x : std::abs(x);
    level = x + (x > level ? up : down) * (level - x);
    return isPower ? std::sqrt(level) : level;
  }
  void snapToZero() {}

private:
  T factor(T ms) const { return ms < T(1e-3) ? T() : T(std::exp(-2000 * MathConstants<double>::pi / rate / double(ms))); }
  void update() { up = factor(attack), down = factor(release); }
  LevelCalculationType type = LevelCalculationType::peak;
  double rate = 44100;
  T attack = T(1), release = T(100), up = T(), down = T();
  std::vector<T> levels;
};

template <class T> class Compressor : public SampleProcessor<Compressor<T>, T> {
public:
  void setThreshold(T db) { threshold = Decibels::decibelsToGain(db, T(-200)); }
  void setRatio(T value) { ratio = jmax(T(1), value); }
  void setAttack(T ms) { envelope.setAttackTime(ms); }
  void setRelease(T ms) { envelope.setReleaseTime(ms); }
  void prepare(const ProcessSpec &spec) { envelope.prepare(spec); }
  void reset() { envelope.reset(); }
  T processSample(int c, T x) {
    const T level = envelope.processSample(c, x);
    return level < threshold ? x : x * std::pow(level / threshold, 1 / ratio - 1);
  }

private:
  BallisticsFilter<T> envelope;
  T threshold = T(1), ratio = T(1);
};

/// An expander below a threshold, whose envelope follows a mean power over 50 ms.
template <class T> class NoiseGate : public SampleProcessor<NoiseGate<T>, T> {
public:
  NoiseGate() {
    power.setLevelCalculationType(BallisticsFilterLevelCalculationType::RMS);
    power.setAttackTime(T());
    power.setReleaseTime(T(50));
  }
  void setThreshold(T db) { threshold = Decibels::decibelsToGain(db, T(-200)); }
  void setRatio(T value) { ratio = jmax(T(1), value); }
  void setAttack(T ms) { envelope.setAttackTime(ms); }
  void setRelease(T ms) { envelope.setReleaseTime(ms); }
  void prepare(const ProcessSpec &spec) {
    power.prepare(spec);
    envelope.prepare(spec);
  }
  void reset() {
    power.reset();
    envelope.reset();
  }
  T processSample(int c, T x) {
    const T level = envelope.processSample(c, power.processSample(c, x));
    return level >= threshold ? x : x * std::pow(level / threshold, ratio - 1);
  }

private:
  BallisticsFilter<T> power, envelope;
  T threshold = Decibels::decibelsToGain(T(-100), T(-200)), ratio = T(10);
};

/// Two compressors in series, a gain that makes up for them, and a clip at full scale.
template <class T> class Limiter {
public:
  Limiter() { setThreshold(T(-10)); }
  void setThreshold(T db) { threshold = db, update(); }
  void setRelease(T ms) { second.setRelease(ms); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    first.prepare(spec);
    second.prepare(spec);
    reset();
  }
  void reset() {
    first.reset();
    second.reset();
    gain.reset(rate, 0.001);
  }
  template <class Context> void process(const Context &context) {
    if (passesBypassed(context)) return;
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T factor = gain.getNextValue();
      for (size_t c = 0; c < out.getNumChannels(); c++) {
        const T x = first.processSample(int(c), in.getChannelPointer(c)[i]);
        out.getChannelPointer(c)[i] = jlimit(T(-1), T(1), factor * second.processSample(int(c), x));
      }
    }
  }

private:
  void update() {
    first.setThreshold(T(-10));
    first.setRatio(T(4));
    first.setAttack(T(2));
    first.setRelease(T(200));
    second.setThreshold(threshold);
    second.setRatio(T(1000));
    second.setAttack(T(0.001));
    // Half of what the first one takes from full scale, and all of the second one.
    const T half = T(10) * (1 - T(0.25)) / 2;
    gain.setTargetValue(Decibels::decibelsToGain(half) * Decibels::decibelsToGain(-threshold));
  }
  Compressor<T> first, second;
  SmoothedValue<T> gain;
  double rate = 44100;
  T threshold = T(-10);
};

enum class LadderFilterMode { LPF12, HPF12, BPF12, LPF24, HPF24, BPF24 };

/// A ladder filter after V. Valimaki and A. Huovilainen, "Oscillator and Filter Algorithms for Virtual Analog
/// Synthesis" (2006): four poles with a zero each, and a feedback that saturates and keeps the level of low passes.
template <class T> class LadderFilter {
public:
  typedef LadderFilterMode Mode;
  LadderFilter() {
    setDrive(T(1.2));
    setResonance(T());
    prepare({1000, 1, 2});
  }
  void setMode(Mode is) {
    if (mode == is) return;
    mode = is;
    reset();
  }
  void setEnabled(bool is) { isOn = is; }
  void setCutoffFrequencyHz(T value) { hz = value, update(); }
  void setResonance(T share) { resonance.setTargetValue(T(0.1) + T(0.9) * share); }
  void setDrive(T value) {
    drive = value, gain = makeUp(value);
    loop_drive = T(0.96) + T(0.04) * value, loop_gain = makeUp(loop_drive);
  }
  size_t getNumChannels() const { return poles.size(); }
  void prepare(const ProcessSpec &spec) {
    setRate(spec.sampleRate);
    poles.assign(spec.numChannels, {});
    reset();
  }
  void reset() {
    std::fill(poles.begin(), poles.end(), std::array<T, 5>{});
    for (auto *value : {&pole, &resonance}) value->setCurrentAndTargetValue(value->getTargetValue());
  }
  template <class Context> void process(const Context &context) {
    if (passesBypassed(context, context.isBypassed || !isOn)) return;
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      updateSmoothers();
      for (size_t c = 0; c < out.getNumChannels(); c++)
        out.getChannelPointer(c)[i] = processSample(in.getChannelPointer(c)[i], c);
    }
  }

protected:
  void updateSmoothers() {
    pole_now = pole.getNextValue();
    resonance_now = resonance.getNextValue();
  }
  T processSample(T x, size_t c) {
    auto &p = poles[c];
    const T zero = (1 - pole_now) * T(0.3 / 1.3), direct = (1 - pole_now) * T(1 / 1.3);
    const bool isHigh = mode == Mode::HPF12 || mode == Mode::HPF24;
    const T in = gain * tanh(drive * x);
    T y = in - 4 * resonance_now * (loop_gain * tanh(loop_drive * p[4]) - in * (isHigh ? T() : T(0.5)));
    T before = p[0];
    p[0] = y;
    for (size_t i = 1; i < 5; i++) {
      y = direct * y + zero * before + pole_now * p[i];
      before = p[i];
      p[i] = y;
    }
    return T(1.2) * mix(p);
  }

private:
  /// The level that a drive leaves of a signal.
  static T makeUp(T value) { return T(0.6103) * std::pow(value, T(-2.642)) + T(0.3903); }
  T mix(const std::array<T, 5> &p) const {
    switch (mode) {
    case Mode::LPF12: return p[2];
    case Mode::HPF12: return p[0] - 2 * p[1] + p[2];
    case Mode::BPF12: return p[1] - p[2];
    case Mode::LPF24: return p[4];
    case Mode::HPF24: return p[0] - 4 * p[1] + 6 * p[2] - 4 * p[3] + p[4];
    case Mode::BPF24: return p[2] - 2 * p[3] + p[4];
    }
    return p[4];
  }
  void setRate(double value) {
    rate = value;
    for (auto *one : {&pole, &resonance}) one->reset(rate, 0.05);
    update();
  }
  void update() { pole.setTargetValue(T(std::exp(-MathConstants<double>::twoPi * double(hz) / rate))); }
  Mode mode = Mode::LPF12;
  double rate = 44100;
  T hz = T(200), drive = T(), gain = T(), loop_drive = T(), loop_gain = T(), pole_now = T(), resonance_now = T();
  bool isOn = true;
  SmoothedValue<T> pole, resonance; // changes ramp for 50 ms
  LookupTableTransform<T> tanh{[](T x) { return std::tanh(x); }, T(-5), T(5), 128};
  std::vector<std::array<T, 5>> poles;
};

} // namespace dsp
} // namespace juce
