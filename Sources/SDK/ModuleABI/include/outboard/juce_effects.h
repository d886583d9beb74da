// juce_effects.h: JUCE-style filters with modulation, and dynamics. SPDX-License-Identifier: MIT
#pragma once

#include "juce_dsp.h"

namespace juce {
namespace dsp {

enum class StateVariableTPTFilterType { lowpass, bandpass, highpass };

/// A state variable filter after V. Zavalishin, with trapezoidal integration.
template <class T> class StateVariableTPTFilter : public SampleProcessor<StateVariableTPTFilter<T>, T> {
public:
  typedef StateVariableTPTFilterType Type;
  void setType(Type is) { type = is; }
  void setCutoffFrequency(T value) { hz = value, update(); }
  void setResonance(T value) { q = value, update(); }
  Type getType() const { return type; }
  T getCutoffFrequency() const { return hz; }
  T getResonance() const { return q; }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    first.assign(spec.numChannels, T());
    second.assign(spec.numChannels, T());
    update();
  }
  void reset(T value = T()) {
    std::fill(first.begin(), first.end(), value);
    std::fill(second.begin(), second.end(), value);
  }
  T processSample(int c, T x) {
    T &a = first[size_t(c)], &b = second[size_t(c)];
    const T high = h * (x - a * (g + 1 / q) - b);
    const T band = high * g + a;
    a = high * g + band;
    const T low = band * g + b;
    b = band * g + low;
    return type == Type::lowpass ? low : type == Type::bandpass ? band : high;
  }
  void snapToZero() {}

private:
  void update() {
    g = std::tan(MathConstants<T>::pi * jlimit(T(1), T(rate * 0.49), hz) / T(rate));
    h = 1 / (1 + g / q + g * g);
  }
  Type type = Type::lowpass;
  double rate = 44100;
  T hz = T(1000), q = T(0.70710678), g = T(), h = T();
  std::vector<T> first, second;
};

/// The older form of that filter, whose values several channels share.
namespace StateVariableFilter {

template <class T> struct Parameters : ReferenceCountedObject {
  typedef ReferenceCountedObjectPtr<Parameters> Ptr;
  enum class Type { lowPass, bandPass, highPass };
  void setCutOffFrequency(double rate, T hz, T resonance = T(0.70710678)) {
    g = T(std::tan(MathConstants<double>::pi * double(hz) / rate));
    R2 = 1 / resonance;
    h = 1 / (1 + R2 * g + g * g);
  }
  Type type = Type::lowPass;
  T g = T(std::tan(MathConstants<double>::pi * 200 / 44100)), R2 = T(1.41421356), h = 1 / (1 + R2 * g + g * g);
};

template <class T> class Filter {
public:
  typedef typename Parameters<T>::Ptr ParametersPtr;
  Filter() : Filter(new Parameters<T>()) {}
  Filter(Parameters<T> *shared) : coefficients(shared) {}
  Filter(ParametersPtr shared) : coefficients(shared) {}
  Filter(const Filter &) = delete;
  void prepare(const ProcessSpec &) { reset(); }
  void reset() { first = second = T(); }
  T processSample(T x) {
    const auto &p = *coefficients;
    const T high = (x - first * p.R2 - first * p.g - second) * p.h;
    const T band = high * p.g + first;
    first = high * p.g + band;
    const T low = band * p.g + second;
    second = band * p.g + low;
    typedef typename Parameters<T>::Type Type;
    return p.type == Type::lowPass ? low : p.type == Type::bandPass ? band : high;
  }
  template <class Context> void process(const Context &context) {
    const T *from = context.getInputBlock().getChannelPointer(0);
    T *to = context.getOutputBlock().getChannelPointer(0);
    for (size_t i = 0; i < context.getOutputBlock().getNumSamples(); i++) {
      const T x = from[i], y = processSample(x);
      to[i] = context.isBypassed ? x : y;
    }
  }
  ParametersPtr coefficients, &parameters = coefficients;

private:
  T first = T(), second = T();
};

} // namespace StateVariableFilter

enum class FirstOrderTPTFilterType { lowpass, highpass, allpass };
template <class T> class FirstOrderTPTFilter : public SampleProcessor<FirstOrderTPTFilter<T>, T> {
public:
  typedef FirstOrderTPTFilterType Type;
  void setType(Type is) { type = is; }
  void setCutoffFrequency(T value) {
    hz = value;
    const T g = std::tan(MathConstants<T>::pi * jlimit(T(1), T(rate * 0.49), hz) / T(rate));
    factor = g / (1 + g);
  }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    state.assign(spec.numChannels, T());
    setCutoffFrequency(hz);
  }
  void reset(T value = T()) { std::fill(state.begin(), state.end(), value); }
  T processSample(int c, T x) {
    T &s = state[size_t(c)];
    const T v = factor * (x - s);
    const T low = v + s;
    s = low + v;
    return type == Type::lowpass ? low : type == Type::highpass ? x - low : 2 * low - x;
  }

private:
  Type type = Type::lowpass;
  double rate = 44100;
  T hz = T(1000), factor = T();
  std::vector<T> state;
};

enum class LinkwitzRileyFilterType { lowpass, highpass, allpass };

/// Two Butterworth filters in series, whose low pass and high pass add up to an all pass.
template <class T> class LinkwitzRileyFilter : public SampleProcessor<LinkwitzRileyFilter<T>, T> {
public:
  typedef LinkwitzRileyFilterType Type;
  void setType(Type is) { type = is; }
  void setCutoffFrequency(T hz) {
    one.setCutoffFrequency(hz);
    two.setCutoffFrequency(hz);
  }
  void prepare(const ProcessSpec &spec) {
    one.prepare(spec);
    two.prepare(spec);
  }
  void reset() { one.reset(), two.reset(); }
  T processSample(int c, T x) {
    T low, high;
    processSample(c, x, low, high);
    return type == Type::lowpass ? low : type == Type::highpass ? high : low + high;
  }
  void processSample(int c, T x, T &low, T &high) {
    const Parts a = one.parts(c, x);
    const Parts b = two.parts(c, a.low);
    low = b.low;
    // The all pass with the same poles, minus the low pass.
    high = a.low - std::sqrt(T(2)) * a.band + a.high - low;
  }

private:
  struct Parts {
    T low, band, high;
  };
  struct Section {
    void setCutoffFrequency(T value) {
      hz = value;
      g = std::tan(MathConstants<T>::pi * jlimit(T(1), T(rate * 0.49), hz) / T(rate));
    }
    void prepare(const ProcessSpec &spec) {
      rate = spec.sampleRate;
      a.assign(spec.numChannels, T());
      b.assign(spec.numChannels, T());
      setCutoffFrequency(hz);
    }
    void reset() {
      std::fill(a.begin(), a.end(), T());
      std::fill(b.begin(), b.end(), T());
    }
    Parts parts(int c, T x) {
      T &s = a[size_t(c)], &t = b[size_t(c)];
      const T k = std::sqrt(T(2)), high = (x - s * (g + k) - t) / (1 + k * g + g * g);
      const T band = high * g + s;
      s = high * g + band;
      const T low = band * g + t;
      t = band * g + low;
      return {low, band, high};
    }
    double rate = 44100;
    T hz = T(1000), g = T();
    std::vector<T> a, b;
  };
  Type type = Type::lowpass;
  Section one, two;
};

/// An envelope follower with attack and release times.
template <class T> class BallisticsFilter : public SampleProcessor<BallisticsFilter<T>, T> {
public:
  void setAttackTime(T ms) { attack = ms, update(); }
  void setReleaseTime(T ms) { release = ms, update(); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    levels.assign(spec.numChannels, T());
    update();
  }
  void reset(T value = T()) { std::fill(levels.begin(), levels.end(), value); }
  T processSample(int c, T x) {
    T &level = levels[size_t(c)];
    x = std::abs(x);
    return level = x + (x > level ? up : down) * (level - x);
  }

private:
  T factor(T ms) const { return ms < T(1e-3) ? T() : T(std::exp(-2000 * MathConstants<double>::pi / rate / double(ms))); }
  void update() { up = factor(attack), down = factor(release); }
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

template <class T> class NoiseGate : public SampleProcessor<NoiseGate<T>, T> {
public:
  void setThreshold(T db) { threshold = Decibels::decibelsToGain(db, T(-200)); }
  void setRatio(T value) { ratio = jmax(T(1), value); }
  void setAttack(T ms) { envelope.setAttackTime(ms); }
  void setRelease(T ms) { envelope.setReleaseTime(ms); }
  void prepare(const ProcessSpec &spec) { envelope.prepare(spec); }
  void reset() { envelope.reset(); }
  T processSample(int c, T x) {
    const T level = envelope.processSample(c, x);
    return level > threshold ? x : x * std::pow(jmax(T(1e-9), level) / threshold, ratio - 1);
  }

private:
  BallisticsFilter<T> envelope;
  T threshold = T(0.001), ratio = T(10);
};

template <class T> class Limiter : public SampleProcessor<Limiter<T>, T> {
public:
  void setThreshold(T db) { ceiling = Decibels::decibelsToGain(db, T(-200)), gain.setThreshold(db); }
  void setRelease(T ms) { gain.setRelease(ms); }
  void prepare(const ProcessSpec &spec) {
    gain.setRatio(1000), gain.setAttack(T(0.001));
    gain.prepare(spec);
  }
  void reset() { gain.reset(); }
  T processSample(int c, T x) { return jlimit(-ceiling, ceiling, gain.processSample(c, x)); }

private:
  Compressor<T> gain;
  T ceiling = T(1);
};

} // namespace dsp
} // namespace juce
