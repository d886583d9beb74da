// juce_dsp.h: JUCE-style processors: chains, gains, shapers, tables, oscillators. SPDX-License-Identifier: MIT
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
    if constexpr (index == 0) {
      Context one = context;
      one.isBypassed = context.isBypassed || bypassed[index];
      std::get<index>(all).process(one);
    } else {
      ProcessContextReplacing<typename Context::SampleType> in_place(context.getOutputBlock());
      in_place.isBypassed = context.isBypassed || bypassed[index];
      std::get<index>(all).process(in_place);
    }
  }
  std::tuple<Processors...> all;
  std::array<bool, sizeof...(Processors)> bypassed{};
};
template <int index, class Chain> auto &get(Chain &chain) { return chain.template get<index>(); }
template <int index, class Chain> void setBypassed(Chain &chain, bool is) { chain.template setBypassed<index>(is); }
template <int index, class Chain> bool isBypassed(Chain &chain) { return chain.template isBypassed<index>(); }

/// Copies the input of a bypassed processor. Returns whether it is bypassed.
template <class Context> bool passesBypassed(const Context &context, bool is) {
  if (is && context.usesSeparateInputAndOutputBlocks()) context.getOutputBlock().copyFrom(context.getInputBlock());
  return is;
}
template <class Context> bool passesBypassed(const Context &context) { return passesBypassed(context, context.isBypassed); }

/// The base class of processors that process each sample of each channel separately. A bypassed one keeps its state.
template <class Derived, class T> struct SampleProcessor {
  template <class Context> void process(const Context &context) {
    if (passesBypassed(context)) return;
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++)
      for (size_t c = 0; c < out.getNumChannels(); c++)
        out.getChannelPointer(c)[i] = static_cast<Derived *>(this)->processSample(int(c), in.getChannelPointer(c)[i]);
  }
};

/// The base class of a gain and a bias: a value with a ramp, which all channels share.
template <class T> class RampedValue {
public:
  void setRampDurationSeconds(double seconds) {
    if (ramp == seconds) return;
    ramp = seconds;
    reset();
  }
  double getRampDurationSeconds() const { return ramp; }
  bool isSmoothing() const { return value.isSmoothing(); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    reset();
  }
  void reset() {
    if (rate > 0) value.reset(rate, ramp);
  }

protected:
  template <class Context, class Change> void run(const Context &context, Change change) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    if (passesBypassed(context)) return (void)value.skip(int(out.getNumSamples()));
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T now = value.getNextValue();
      for (size_t c = 0; c < out.getNumChannels(); c++)
        out.getChannelPointer(c)[i] = change(in.getChannelPointer(c)[i], now);
    }
  }
  SmoothedValue<T> value;

private:
  double rate = 0, ramp = 0;
};

/// A gain, which is silent until it is set.
template <class T> class Gain : public RampedValue<T> {
public:
  void setGainLinear(T value) { this->value.setTargetValue(value); }
  void setGainDecibels(T value) { setGainLinear(Decibels::decibelsToGain(value)); }
  T getGainLinear() const { return this->value.getTargetValue(); }
  T getGainDecibels() const { return Decibels::gainToDecibels(getGainLinear()); }
  T processSample(T x) { return x * this->value.getNextValue(); }
  template <class Context> void process(const Context &context) {
    this->run(context, [](T x, T gain) { return x * gain; });
  }
};

template <class T> class Bias : public RampedValue<T> {
public:
  void setBias(T value) { this->value.setTargetValue(value); }
  T getBias() const { return this->value.getTargetValue(); }
  T processSample(T x) { return x + this->value.getNextValue(); }
  template <class Context> void process(const Context &context) {
    this->run(context, [](T x, T bias) { return x + bias; });
  }
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

/// Values at whole places, with linear interpolation between them.
template <class T> class LookupTable {
public:
  LookupTable() : LookupTable([](size_t) { return T(); }, 1) {}
  LookupTable(const std::function<T(size_t)> &function, size_t count) { initialise(function, count); }
  void initialise(const std::function<T(size_t)> &function, size_t count) {
    values.resize(jmax(size_t(1), count) + 1);
    for (size_t i = 0; i + 1 < values.size(); i++) values[i] = function(i);
    values.back() = values[values.size() - 2];
  }
  size_t getNumPoints() const { return values.size() - 1; }
  bool isInitialised() const { return getNumPoints() > 1; }
  T getUnchecked(T at) const {
    const size_t whole = size_t(at);
    return values[whole] + (values[whole + 1] - values[whole]) * (at - T(whole));
  }
  T get(T at) const { return getUnchecked(jlimit(T(), T(getNumPoints() - 1), at)); }
  T operator[](T at) const { return getUnchecked(at); }

private:
  std::vector<T> values;
};

/// A function as a table with linear interpolation.
template <class T> class LookupTableTransform {
public:
  LookupTableTransform() : LookupTableTransform([](T x) { return x; }, T(-1), T(1), 2) {}
  LookupTableTransform(const std::function<T(T)> &function, T low, T high, size_t count) { initialise(function, low, high, count); }
  void initialise(const std::function<T(T)> &function, T low, T high, size_t count) {
    first = low, last = high;
    steps = T(count - 1) / (high - low);
    table.initialise([&](size_t i) { return function(jlimit(low, high, jmap(T(i), T(), T(count - 1), low, high))); }, count);
  }
  T processSample(T x) const { return table.get(steps * (jlimit(first, last, x) - first)); }
  T processSampleUnchecked(T x) const { return processSample(x); }
  T operator()(T x) const { return processSample(x); }
  T operator[](T x) const { return processSample(x); }
  void process(const T *from, T *to, size_t count) const {
    for (size_t i = 0; i < count; i++) to[i] = processSample(from[i]);
  }
  void processUnchecked(const T *from, T *to, size_t count) const { process(from, to, count); }

private:
  T first = T(), last = T(), steps = T();
  LookupTable<T> table;
};

/// A periodic function of a phase from -pi to pi. A change of frequency ramps for 50 ms.
template <class T> class Oscillator {
public:
  Oscillator() {}
  Oscillator(std::function<T(T)> wave, size_t points = 0) { initialise(std::move(wave), points); }
  void initialise(std::function<T(T)> wave, size_t points = 0) {
    const T pi = MathConstants<T>::pi;
    if (points == 0) shape = std::move(wave);
    else shape = [table = LookupTableTransform<T>(wave, -pi, pi, points)](T x) { return table(x); };
  }
  bool isInitialised() const { return bool(shape); }
  void setFrequency(T value, bool isAtOnce = false) {
    if (isAtOnce) hz.setCurrentAndTargetValue(value);
    else hz.setTargetValue(value);
  }
  T getFrequency() const { return hz.getTargetValue(); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    reset();
  }
  void reset() {
    phase = 0;
    if (rate > 0) hz.reset(rate, 0.05);
  }
  T processSample(T x) {
    const T turn = MathConstants<T>::twoPi, y = shape ? shape(phase - MathConstants<T>::pi) : T();
    phase += turn / T(rate) * hz.getNextValue();
    while (phase >= turn) phase -= turn;
    return x + y;
  }
  /// Adds the wave to all channels; a bypassed oscillator is silent.
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T y = processSample(T());
      for (size_t c = 0; c < out.getNumChannels(); c++) {
        const T x = c < in.getNumChannels() ? in.getChannelPointer(c)[i] : T();
        out.getChannelPointer(c)[i] = context.isBypassed ? T() : x + y;
      }
    }
  }

private:
  std::function<T(T)> shape;
  SmoothedValue<T> hz{T(440)};
  double rate = 48000;
  T phase = T();
};

/// Pade approximants: for angles from -5 to 5, exponents from -6 to 4, and logNPlusOne from -0.8 to 5.
struct FastMathApproximations {
  // Circular functions are the hyperbolic ones for a negative square.
  template <class T> static T cosh(T x) { return even(x * x); }
  template <class T> static T cos(T x) { return even(-x * x); }
  template <class T> static T sinh(T x) { return x * odd(x * x); }
  template <class T> static T sin(T x) { return x * odd(-x * x); }
  template <class T> static T tanh(T x) { return x * slope(x * x); }
  template <class T> static T tan(T x) { return x * slope(-x * x); }
  template <class T> static T exp(T x) { return (1680 + x * (840 + x * (180 + x * (20 + x)))) / (1680 - x * (840 - x * (180 - x * (20 - x)))); }
  template <class T> static T logNPlusOne(T x) {
    return x * (7560 + x * (15120 + x * (9870 + x * (2310 + 137 * x)))) /
           (7560 + x * (18900 + x * (16800 + x * (6300 + x * (900 + 30 * x)))));
  }
  template <class T> static void cosh(T *x, size_t n) { map(x, n, [](T v) { return cosh(v); }); }
  template <class T> static void cos(T *x, size_t n) { map(x, n, [](T v) { return cos(v); }); }
  template <class T> static void sinh(T *x, size_t n) { map(x, n, [](T v) { return sinh(v); }); }
  template <class T> static void sin(T *x, size_t n) { map(x, n, [](T v) { return sin(v); }); }
  template <class T> static void tanh(T *x, size_t n) { map(x, n, [](T v) { return tanh(v); }); }
  template <class T> static void tan(T *x, size_t n) { map(x, n, [](T v) { return tan(v); }); }
  template <class T> static void exp(T *x, size_t n) { map(x, n, [](T v) { return exp(v); }); }

private:
  template <class T, class Function> static void map(T *x, size_t n, Function function) { std::transform(x, x + n, x, function); }
  template <class T> static T even(T y) {
    return (39251520 + y * (18471600 + y * (1075032 + 14615 * y))) / (39251520 - y * (1154160 - y * (16632 - 127 * y)));
  }
  template <class T> static T odd(T y) {
    return (T(11511339840) + y * (1640635920 + y * (52785432 + 479249 * y))) /
           (T(11511339840) - y * (277920720 - y * (3177720 - 18361 * y)));
  }
  template <class T> static T slope(T y) {
    return (135135 + y * (17325 + y * (378 + y))) / (135135 + y * (62370 + y * (3150 + 28 * y)));
  }
};

} // namespace dsp
} // namespace juce
