// juce_filters.h: JUCE-style second-order filters and their coefficients. SPDX-License-Identifier: MIT
//
// The coefficients of peaks and shelves are those of R. Bristow-Johnson's cookbook.
#pragma once

#include "juce_fft.h"

namespace juce {
namespace dsp {
namespace IIR {

/// Formulas for coefficients, as b0, b1, ... and a0, a1, ..., which need no allocation.
template <class T> struct ArrayCoefficients {
  typedef std::array<T, 4> First;
  typedef std::array<T, 6> Second;
  static First makeFirstOrderLowPass(double rate, T hz) {
    const T n = tangent(rate, hz);
    return {n, n, n + 1, n - 1};
  }
  static First makeFirstOrderHighPass(double rate, T hz) {
    const T n = tangent(rate, hz);
    return {1, -1, n + 1, n - 1};
  }
  static First makeFirstOrderAllPass(double rate, T hz) {
    const T n = tangent(rate, hz);
    return {n - 1, n + 1, n + 1, n - 1};
  }
  // Numerators of the normalised analog filters, with the same denominator.
  static Second makeLowPass(double rate, T hz, T q = butterworth()) { return analog(rate, hz, q, {0, 0, 1}); }
  static Second makeHighPass(double rate, T hz, T q = butterworth()) { return analog(rate, hz, q, {1, 0, 0}); }
  static Second makeBandPass(double rate, T hz, T q = butterworth()) { return analog(rate, hz, q, {0, 1 / q, 0}); }
  static Second makeNotch(double rate, T hz, T q = butterworth()) { return analog(rate, hz, q, {1, 0, 1}); }
  static Second makeAllPass(double rate, T hz, T q = butterworth()) { return analog(rate, hz, q, {1, -1 / q, 1}); }
  static Second makePeakFilter(double rate, T hz, T q, T gain) {
    const Angle w(rate, hz, q);
    const T a = std::sqrt(jmax(T(1e-15), gain));
    return {1 + w.alpha * a, -2 * w.cosine, 1 - w.alpha * a, 1 + w.alpha / a, -2 * w.cosine, 1 - w.alpha / a};
  }
  static Second makeLowShelf(double rate, T hz, T q, T gain) { return shelf(rate, hz, q, gain, T(1)); }
  static Second makeHighShelf(double rate, T hz, T q, T gain) { return shelf(rate, hz, q, gain, T(-1)); }

private:
  static constexpr T butterworth() { return T(0.70710678118654752); }
  static T tangent(double rate, T hz) { return T(std::tan(MathConstants<double>::pi * jlimit(0.0, 0.4999, double(hz) / rate))); }
  /// The bilinear transform of (n[0] s^2 + n[1] s + n[2]) / (s^2 + s / q + 1), with s = 1 at a frequency.
  static Second analog(double rate, T hz, T q, std::array<T, 3> n) {
    const T t = tangent(rate, hz), a = 1 + t / q + t * t;
    n = {n[0], n[1] * t, n[2] * t * t};
    return {(n[0] + n[1] + n[2]) / a, 2 * (n[2] - n[0]) / a, (n[0] - n[1] + n[2]) / a, 1, 2 * (t * t - 1) / a, (1 - t / q + t * t) / a};
  }
  struct Angle {
    Angle(double rate, T hz, T q) {
      const T w = 2 * MathConstants<T>::pi * jlimit(T(2), T(rate * 0.4999), hz) / T(rate);
      cosine = std::cos(w);
      alpha = std::sin(w) / (2 * q);
    }
    T cosine, alpha;
  };
  static Second shelf(double rate, T hz, T q, T gain, T side) {
    const Angle w(rate, hz, q);
    const T a = std::sqrt(jmax(T(1e-15), gain)), c = side * w.cosine, root = 2 * std::sqrt(a) * w.alpha;
    return {a * (a + 1 - (a - 1) * c + root), side * 2 * a * (a - 1 - (a + 1) * c), a * (a + 1 - (a - 1) * c - root),
            a + 1 + (a - 1) * c + root, side * -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - root};
  }
};

/// b0, b1, ... and a1, a2, ... with a0 = 1, of first to third order.
template <class T> struct Coefficients : ReferenceCountedObject {
  typedef ReferenceCountedObjectPtr<Coefficients> Ptr;
  /// Coefficients of a silent filter.
  Coefficients() : Coefficients(std::array<T, 6>{}) {}
  Coefficients(T b0, T b1, T a0, T a1) : Coefficients(std::array<T, 4>{b0, b1, a0, a1}) {}
  Coefficients(T b0, T b1, T b2, T a0, T a1, T a2) : Coefficients(std::array<T, 6>{b0, b1, b2, a0, a1, a2}) {}
  Coefficients(T b0, T b1, T b2, T b3, T a0, T a1, T a2, T a3)
      : Coefficients(std::array<T, 8>{b0, b1, b2, b3, a0, a1, a2, a3}) {}
  template <size_t count> Coefficients(const std::array<T, count> &all) { *this = all; }
  /// Changed in place, because this may run on the audio thread.
  template <size_t count> Coefficients &operator=(const std::array<T, count> &all) {
    const T a0 = all[count / 2];
    coefficients.ensureStorageAllocated(8);
    coefficients.clearQuick();
    for (size_t i = 0; i < count; i++)
      if (i != count / 2) coefficients.add(a0 == T() ? T() : all[i] / a0);
    return *this;
  }
  T *getRawCoefficients() { return coefficients.getRawDataPointer(); }
  const T *getRawCoefficients() const { return coefficients.getRawDataPointer(); }
  size_t getFilterOrder() const { return size_t(coefficients.size() - 1) / 2; }
  double getMagnitudeForFrequency(double hz, double rate) const { return std::abs(response(hz, rate)); }
  double getPhaseForFrequency(double hz, double rate) const { return std::arg(response(hz, rate)); }
  void getMagnitudeForFrequencyArray(const double *hz, double *to, size_t count, double rate) const {
    for (size_t i = 0; i < count; i++) to[i] = getMagnitudeForFrequency(hz[i], rate);
  }
  void getPhaseForFrequencyArray(const double *hz, double *to, size_t count, double rate) const {
    for (size_t i = 0; i < count; i++) to[i] = getPhaseForFrequency(hz[i], rate);
  }

  static Ptr makeFirstOrderLowPass(double rate, T hz) { return new Coefficients(Make::makeFirstOrderLowPass(rate, hz)); }
  static Ptr makeFirstOrderHighPass(double rate, T hz) { return new Coefficients(Make::makeFirstOrderHighPass(rate, hz)); }
  static Ptr makeFirstOrderAllPass(double rate, T hz) { return new Coefficients(Make::makeFirstOrderAllPass(rate, hz)); }
  template <class... Q> static Ptr makeLowPass(double rate, T hz, Q... q) { return new Coefficients(Make::makeLowPass(rate, hz, T(q)...)); }
  template <class... Q> static Ptr makeHighPass(double rate, T hz, Q... q) { return new Coefficients(Make::makeHighPass(rate, hz, T(q)...)); }
  template <class... Q> static Ptr makeBandPass(double rate, T hz, Q... q) { return new Coefficients(Make::makeBandPass(rate, hz, T(q)...)); }
  template <class... Q> static Ptr makeNotch(double rate, T hz, Q... q) { return new Coefficients(Make::makeNotch(rate, hz, T(q)...)); }
  template <class... Q> static Ptr makeAllPass(double rate, T hz, Q... q) { return new Coefficients(Make::makeAllPass(rate, hz, T(q)...)); }
  static Ptr makePeakFilter(double rate, T hz, T q, T gain) { return new Coefficients(Make::makePeakFilter(rate, hz, q, gain)); }
  static Ptr makeLowShelf(double rate, T hz, T q, T gain) { return new Coefficients(Make::makeLowShelf(rate, hz, q, gain)); }
  static Ptr makeHighShelf(double rate, T hz, T q, T gain) { return new Coefficients(Make::makeHighShelf(rate, hz, q, gain)); }

  Array<T> coefficients;

private:
  typedef ArrayCoefficients<T> Make;
  std::complex<double> response(double hz, double rate) const {
    const std::complex<double> z = std::polar(1.0, -MathConstants<double>::twoPi * hz / rate);
    std::complex<double> above = 0, below = 0;
    const int order = int(getFilterOrder());
    for (int i = order; i >= 0; i--) above = above * z + double(coefficients[i]);
    for (int i = 2 * order; i > order; i--) below = (below + double(coefficients[i])) * z;
    return above / (1.0 + below);
  }
};

/// One channel, in the transposed direct form II.
template <class T> class Filter {
public:
  typedef typename Coefficients<T>::Ptr CoefficientsPtr;
  Filter() : Filter(new Coefficients<T>(1, 0, 1, 0)) {}
  Filter(Coefficients<T> *shared) : coefficients(shared) {}
  Filter(CoefficientsPtr shared) : coefficients(shared) {}
  void prepare(const ProcessSpec &) { reset(); }
  void reset(T value = T()) { order = coefficients->getFilterOrder(), state.fill(value); }
  T processSample(T x) {
    if (order != coefficients->getFilterOrder()) reset();
    const T *b = coefficients->getRawCoefficients(), *a = b + order;
    const T y = b[0] * x + state[0];
    for (size_t i = 1; i < order; i++) state[i - 1] = b[i] * x - a[i] * y + state[i];
    state[order - 1] = b[order] * x - a[order] * y;
    return y;
  }
  template <class Context> void process(const Context &context) {
    const auto *from = context.getInputBlock().getChannelPointer(0);
    auto *to = context.getOutputBlock().getChannelPointer(0);
    for (size_t i = 0; i < context.getOutputBlock().getNumSamples(); i++) {
      const T x = from[i], y = processSample(x);
      to[i] = context.isBypassed ? x : y;
    }
  }
  void snapToZero() {}
  CoefficientsPtr coefficients;

private:
  std::array<T, 3> state{};
  size_t order = 1;
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
  typedef ReferenceCountedArray<IIR::Coefficients<T>> Sections;
  static Sections designIIRLowpassHighOrderButterworthMethod(T hz, double rate, int order) {
    return sections(hz, rate, order, false);
  }
  static Sections designIIRHighpassHighOrderButterworthMethod(T hz, double rate, int order) {
    return sections(hz, rate, order, true);
  }

private:
  typedef IIR::Coefficients<T> Made;
  static Sections sections(T hz, double rate, int order, bool high) {
    Sections all;
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
  IIRCoefficients(double b0, double b1, double b2, double a0, double a1, double a2)
      : IIRCoefficients(new Made(float(b0), float(b1), float(b2), float(a0), float(a1), float(a2))) {}
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
/// A filter that passes its input until it has coefficients.
class IIRFilter {
public:
  void setCoefficients(const IIRCoefficients &made) { now = made, isOn = true; }
  IIRCoefficients getCoefficients() const { return now; }
  void makeInactive() { isOn = false; }
  void reset() { first = second = 0; }
  float processSingleSampleRaw(float x) {
    const float *c = now.coefficients;
    const float y = c[0] * x + first;
    first = c[1] * x - c[3] * y + second;
    second = c[2] * x - c[4] * y;
    return y;
  }
  void processSamples(float *samples, int count) {
    for (int i = 0; isOn && i < count; i++) samples[i] = processSingleSampleRaw(samples[i]);
  }

private:
  IIRCoefficients now;
  float first = 0, second = 0;
  bool isOn = false;
};

} // namespace juce
