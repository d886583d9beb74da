// juce_effects.h: JUCE-style filters for modulation and crossovers. SPDX-License-Identifier: MIT
#pragma once

#include "juce_dsp.h"

namespace juce {
namespace dsp {

/// The factor of an integrator for a frequency, which is kept below half the sample rate.
template <class T> T integratorGain(T hz, double rate) {
  return T(std::tan(MathConstants<double>::pi * jlimit(0.0, 0.4999, double(hz) / rate)));
}

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
    g = integratorGain(hz, rate);
    h = 1 / (1 + g / q + g * g);
  }
  Type type = Type::lowpass;
  double rate = 44100;
  T hz = T(1000), q = T(0.70710678), g = T(), h = T();
  std::vector<T> first, second;
};

/// The older form of that filter, whose values several channels share.
namespace StateVariableFilter {

enum class StateVariableFilterType { lowPass, bandPass, highPass };

template <class T> struct Parameters : ReferenceCountedObject {
  typedef ReferenceCountedObjectPtr<Parameters> Ptr;
  typedef StateVariableFilterType Type;
  void setCutOffFrequency(double rate, T hz, T resonance = T(0.70710678)) {
    g = integratorGain(hz, rate);
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
    const T g = integratorGain(hz, rate);
    factor = g / (1 + g);
  }
  Type getType() const { return type; }
  T getCutoffFrequency() const { return hz; }
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
  Type getType() const { return type; }
  T getCutoffFrequency() const { return one.hz; }
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
      g = integratorGain(hz, rate);
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
    T hz = T(2000), g = T();
    std::vector<T> a, b;
  };
  Type type = Type::lowpass;
  Section one, two;
};

} // namespace dsp
} // namespace juce
