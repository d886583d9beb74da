// juce_filters.h: JUCE-style second-order filters and their coefficients. SPDX-License-Identifier: MIT
//
// The coefficients are those of R. Bristow-Johnson's cookbook, with the bilinear transform. The filters are
// transposed direct forms.
#pragma once

#include "juce_fft.h"

namespace juce {
namespace dsp {
namespace IIR {

/// b0, b1, b2, a1, a2 with a0 = 1; or b0, b1, a1 for first order.
template <class T> struct Coefficients : ReferenceCountedObject {
  typedef ReferenceCountedObjectPtr<Coefficients> Ptr;
  Coefficients() : Coefficients(1, 0, 0, 1, 0, 0) {}
  Coefficients(T b0, T b1, T a0, T a1) { assign(b0, b1, 0, a0, a1, 0); }
  Coefficients(T b0, T b1, T b2, T a0, T a1, T a2) { assign(b0, b1, b2, a0, a1, a2); }
  Coefficients(const std::array<T, 6> &all) { *this = all; }
  Coefficients &operator=(const std::array<T, 6> &all) {
    assign(all[0], all[1], all[2], all[3], all[4], all[5]);
    return *this;
  }
  T *getRawCoefficients() { return coefficients.getRawDataPointer(); }
  const T *getRawCoefficients() const { return coefficients.getRawDataPointer(); }
  size_t getFilterOrder() const { return 2; }
  double getMagnitudeForFrequency(double hz, double rate) const {
    const double w = 2 * MathConstants<double>::pi * hz / rate;
    const T *c = getRawCoefficients();
    const auto power = [w](double x, double y, double z) {
      const double real = x + y * std::cos(w) + z * std::cos(2 * w);
      const double imaginary = y * std::sin(w) + z * std::sin(2 * w);
      return real * real + imaginary * imaginary;
    };
    return std::sqrt(power(c[0], c[1], c[2]) / power(1, c[3], c[4]));
  }

  static Ptr makeFirstOrderLowPass(double rate, T hz) {
    const T n = std::tan(MathConstants<T>::pi * hz / T(rate));
    return new Coefficients(n, n, n + 1, n - 1);
  }
  static Ptr makeFirstOrderHighPass(double rate, T hz) {
    const T n = std::tan(MathConstants<T>::pi * hz / T(rate));
    return new Coefficients(1, -1, n + 1, n - 1);
  }
  static Ptr makeFirstOrderAllPass(double rate, T hz) {
    const T n = std::tan(MathConstants<T>::pi * hz / T(rate));
    return new Coefficients(n - 1, n + 1, n + 1, n - 1);
  }
  static Ptr makeLowPass(double rate, T hz, T q = butterworth()) {
    const Angle w(rate, hz, q);
    return new Coefficients((1 - w.cosine) / 2, 1 - w.cosine, (1 - w.cosine) / 2, 1 + w.alpha, -2 * w.cosine, 1 - w.alpha);
  }
  static Ptr makeHighPass(double rate, T hz, T q = butterworth()) {
    const Angle w(rate, hz, q);
    return new Coefficients((1 + w.cosine) / 2, -1 - w.cosine, (1 + w.cosine) / 2, 1 + w.alpha, -2 * w.cosine, 1 - w.alpha);
  }
  static Ptr makeBandPass(double rate, T hz, T q = butterworth()) {
    const Angle w(rate, hz, q);
    return new Coefficients(w.alpha, 0, -w.alpha, 1 + w.alpha, -2 * w.cosine, 1 - w.alpha);
  }
  static Ptr makeNotch(double rate, T hz, T q = butterworth()) {
    const Angle w(rate, hz, q);
    return new Coefficients(1, -2 * w.cosine, 1, 1 + w.alpha, -2 * w.cosine, 1 - w.alpha);
  }
  static Ptr makeAllPass(double rate, T hz, T q = butterworth()) {
    const Angle w(rate, hz, q);
    return new Coefficients(1 - w.alpha, -2 * w.cosine, 1 + w.alpha, 1 + w.alpha, -2 * w.cosine, 1 - w.alpha);
  }
  static Ptr makePeakFilter(double rate, T hz, T q, T gain) {
    const Angle w(rate, hz, q);
    const T a = std::sqrt(jmax(T(1e-15), gain));
    return new Coefficients(1 + w.alpha * a, -2 * w.cosine, 1 - w.alpha * a, 1 + w.alpha / a, -2 * w.cosine, 1 - w.alpha / a);
  }
  static Ptr makeLowShelf(double rate, T hz, T q, T gain) { return shelf(rate, hz, q, gain, T(1)); }
  static Ptr makeHighShelf(double rate, T hz, T q, T gain) { return shelf(rate, hz, q, gain, T(-1)); }

  Array<T> coefficients;

private:
  static constexpr T butterworth() { return T(0.70710678118654752); }
  struct Angle {
    Angle(double rate, T hz, T q) {
      const T w = 2 * MathConstants<T>::pi * jlimit(T(2), T(rate * 0.49), hz) / T(rate);
      cosine = std::cos(w);
      alpha = std::sin(w) / (2 * q);
    }
    T cosine, alpha;
  };
  static Ptr shelf(double rate, T hz, T q, T gain, T side) {
    const Angle w(rate, hz, q);
    const T a = std::sqrt(jmax(T(1e-15), gain)), c = side * w.cosine, root = 2 * std::sqrt(a) * w.alpha;
    return new Coefficients(a * (a + 1 - (a - 1) * c + root), side * 2 * a * (a - 1 - (a + 1) * c),
                            a * (a + 1 - (a - 1) * c - root), a + 1 + (a - 1) * c + root,
                            side * -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - root);
  }
  void assign(T b0, T b1, T b2, T a0, T a1, T a2) {
    // Changed in place, because this may run on the audio thread.
    if (coefficients.size() != 5) coefficients.resize(5);
    const T all[] = {b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0};
    for (int i = 0; i < 5; i++) coefficients.setUnchecked(i, all[i]);
  }
};

/// Coefficients as arrays of b0, b1, b2, a0, a1, a2, which need no allocation.
template <class T> struct ArrayCoefficients {
  typedef std::array<T, 6> Result;
  template <class... Values> static Result makeLowPass(Values... v) { return plain(Coefficients<T>::makeLowPass(v...)); }
  template <class... Values> static Result makeHighPass(Values... v) { return plain(Coefficients<T>::makeHighPass(v...)); }
  template <class... Values> static Result makePeakFilter(Values... v) { return plain(Coefficients<T>::makePeakFilter(v...)); }
  template <class... Values> static Result makeLowShelf(Values... v) { return plain(Coefficients<T>::makeLowShelf(v...)); }
  template <class... Values> static Result makeHighShelf(Values... v) { return plain(Coefficients<T>::makeHighShelf(v...)); }

private:
  static Result plain(const typename Coefficients<T>::Ptr &made) {
    const T *c = made->getRawCoefficients();
    return {c[0], c[1], c[2], T(1), c[3], c[4]};
  }
};

/// One channel.
template <class T> class Filter {
public:
  typedef typename Coefficients<T>::Ptr CoefficientsPtr;
  Filter() : coefficients(new Coefficients<T>()) {}
  Filter(CoefficientsPtr shared) : coefficients(shared) {}
  void prepare(const ProcessSpec &) { reset(); }
  void reset(T value = T()) { first = second = value; }
  T processSample(T x) {
    const T *c = coefficients->getRawCoefficients();
    const T y = c[0] * x + first;
    first = c[1] * x - c[3] * y + second;
    second = c[2] * x - c[4] * y;
    return y;
  }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    const auto *from = in.getChannelPointer(0);
    auto *to = out.getChannelPointer(0);
    for (size_t i = 0; i < out.getNumSamples(); i++) {
      const T y = processSample(from[i]);
      to[i] = context.isBypassed ? from[i] : y;
    }
  }
  void snapToZero() {}
  CoefficientsPtr coefficients;

private:
  T first = T(), second = T();
};

} // namespace IIR

/// One mono filter per channel, with shared coefficients.
template <class Mono, class State> struct ProcessorDuplicator {
  ProcessorDuplicator() : state(new State()) {}
  ProcessorDuplicator(State *shared) : state(shared) {}
  ProcessorDuplicator(typename State::Ptr shared) : state(shared) {}
  void prepare(const ProcessSpec &spec) {
    while (processors.size() < int(spec.numChannels)) processors.add(new Mono(state));
    for (auto *one : processors) one->prepare(spec);
  }
  void reset() {
    for (auto *one : processors) one->reset();
  }
  template <class Context> void process(const Context &context) {
    for (size_t c = 0; c < jmin(size_t(processors.size()), context.getOutputBlock().getNumChannels()); c++) {
      // The filters have the coefficients from their start, which code may replace.
      processors[int(c)]->coefficients = state;
      ProcessContextNonReplacing<typename Context::SampleType> one(
          context.getInputBlock().getSingleChannelBlock(c), context.getOutputBlock().getSingleChannelBlock(c));
      one.isBypassed = context.isBypassed;
      processors[int(c)]->process(one);
    }
  }
  typename State::Ptr state;

private:
  OwnedArray<Mono> processors;
};

template <class T> struct FilterDesign : FIRDesign<T> {
  typedef ReferenceCountedObjectPtr<IIR::Coefficients<T>> Ptr;
  static Array<Ptr> designIIRLowpassHighOrderButterworthMethod(T hz, double rate, int order) {
    return sections(hz, rate, order, false);
  }
  static Array<Ptr> designIIRHighpassHighOrderButterworthMethod(T hz, double rate, int order) {
    return sections(hz, rate, order, true);
  }

private:
  typedef IIR::Coefficients<T> Made;
  static Array<Ptr> sections(T hz, double rate, int order, bool high) {
    Array<Ptr> all;
    if (order % 2 != 0) all.add(high ? Made::makeFirstOrderHighPass(rate, hz) : Made::makeFirstOrderLowPass(rate, hz));
    for (int i = 0; i < order / 2; i++) {
      const int step = order % 2 == 0 ? 2 * i + 1 : 2 * (i + 1);
      const T q = T(1 / (2 * std::cos(step * MathConstants<double>::pi / (2 * order))));
      all.add(high ? Made::makeHighPass(rate, hz, q) : Made::makeLowPass(rate, hz, q));
    }
    return all;
  }
};

} // namespace dsp

// The filters from before juce::dsp.

struct IIRCoefficients {
  typedef dsp::IIR::Coefficients<float> Made;
  IIRCoefficients() : IIRCoefficients(new Made()) {}
  IIRCoefficients(Made::Ptr made) { std::copy_n(made->getRawCoefficients(), 5, coefficients); }
  static IIRCoefficients makeLowPass(double rate, double hz, double q = 0.70710678) { return Made::makeLowPass(rate, float(hz), float(q)); }
  static IIRCoefficients makeHighPass(double rate, double hz, double q = 0.70710678) { return Made::makeHighPass(rate, float(hz), float(q)); }
  static IIRCoefficients makeBandPass(double rate, double hz, double q = 0.70710678) { return Made::makeBandPass(rate, float(hz), float(q)); }
  static IIRCoefficients makeNotchFilter(double rate, double hz, double q = 0.70710678) { return Made::makeNotch(rate, float(hz), float(q)); }
  static IIRCoefficients makeAllPass(double rate, double hz, double q = 0.70710678) { return Made::makeAllPass(rate, float(hz), float(q)); }
  static IIRCoefficients makePeakFilter(double rate, double hz, double q, float gain) { return Made::makePeakFilter(rate, float(hz), float(q), gain); }
  static IIRCoefficients makeLowShelf(double rate, double hz, double q, float gain) { return Made::makeLowShelf(rate, float(hz), float(q), gain); }
  static IIRCoefficients makeHighShelf(double rate, double hz, double q, float gain) { return Made::makeHighShelf(rate, float(hz), float(q), gain); }
  float coefficients[5];
};
class IIRFilter {
public:
  void setCoefficients(const IIRCoefficients &made) { now = made; }
  IIRCoefficients getCoefficients() const { return now; }
  void makeInactive() { now = IIRCoefficients(); }
  void reset() { first = second = 0; }
  float processSingleSampleRaw(float x) {
    const float *c = now.coefficients;
    const float y = c[0] * x + first;
    first = c[1] * x - c[3] * y + second;
    second = c[2] * x - c[4] * y;
    return y;
  }
  void processSamples(float *samples, int count) {
    for (int i = 0; i < count; i++) samples[i] = processSingleSampleRaw(samples[i]);
  }

private:
  IIRCoefficients now;
  float first = 0, second = 0;
};

} // namespace juce
