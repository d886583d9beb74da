// juce_fft.h: JUCE-style Fourier transforms, windows and FIR filters. SPDX-License-Identifier: MIT
#pragma once

#include "juce_blocks.h"
#include "juce_objects.h"

#include <complex>

namespace juce {
namespace dsp {

template <class T> using Complex = std::complex<T>;

/// A Fourier transform with 2^order points, by the method of Cooley and Tukey. The inverse is divided by the size.
class FFT {
public:
  explicit FFT(int order)
      : size(1 << order), turns(size_t(size)), places(size_t(size)), spectrum(size_t(size)) {
    for (int i = 0; i < size; i++) {
      const double angle = -MathConstants<double>::twoPi * i / size;
      turns[size_t(i)] = {float(std::cos(angle)), float(std::sin(angle))};
      places[size_t(i)] = order == 0 ? 0 : places[size_t(i / 2)] / 2 + (i % 2 ? size / 2 : 0);
    }
  }
  int getSize() const { return size; }
  void perform(const Complex<float> *from, Complex<float> *to, bool inverse) const {
    if (from != to) {
      for (int i = 0; i < size; i++) to[places[size_t(i)]] = from[i];
    } else {
      for (int i = 0; i < size; i++)
        if (i < places[size_t(i)]) std::swap(to[i], to[places[size_t(i)]]);
    }
    for (int half = 1; half < size; half *= 2)
      for (int start = 0; start < size; start += 2 * half)
        for (int i = 0; i < half; i++) {
          const Complex<float> turn = turns[size_t(i * (size / 2 / half))];
          const Complex<float> odd = to[start + half + i] * (inverse ? std::conj(turn) : turn);
          to[start + half + i] = to[start + i] - odd;
          to[start + i] += odd;
        }
    for (int i = 0; inverse && i < size; i++) to[i] /= float(size);
  }
  /// From `size` samples to complex numbers in place, in memory for twice as many floats.
  void performRealOnlyForwardTransform(float *data, bool onlyPositive = false) const {
    for (int i = size; i-- > 0;) spectrum[size_t(i)] = {data[i], 0};
    auto *bins = reinterpret_cast<Complex<float> *>(data);
    perform(spectrum.data(), spectrum.data(), false);
    for (int i = 0; i < size; i++) bins[i] = onlyPositive && i > size / 2 ? Complex<float>() : spectrum[size_t(i)];
  }
  /// From the complex numbers of frequencies that are not negative to samples, in place.
  void performRealOnlyInverseTransform(float *data) const {
    const auto *bins = reinterpret_cast<const Complex<float> *>(data);
    for (int i = 0; i <= size / 2; i++) spectrum[size_t(i)] = bins[i];
    for (int i = size / 2 + 1; i < size; i++) spectrum[size_t(i)] = std::conj(bins[size - i]);
    perform(spectrum.data(), spectrum.data(), true);
    for (int i = 0; i < size; i++) data[i] = spectrum[size_t(i)].real(), data[size + i] = 0;
  }
  void performFrequencyOnlyForwardTransform(float *data, bool onlyPositive = false) const {
    performRealOnlyForwardTransform(data, onlyPositive);
    const auto *bins = reinterpret_cast<const Complex<float> *>(data);
    for (int i = 0; i < size; i++) data[i] = std::abs(bins[i]);
    std::fill_n(data + size, size, 0.0f);
  }

private:
  int size;
  std::vector<Complex<float>> turns;
  std::vector<int> places;
  mutable std::vector<Complex<float>> spectrum;
};

template <class T> class WindowingFunction {
public:
  enum WindowingMethod { rectangular, triangular, hann, hamming, blackman, blackmanHarris, flatTop, kaiser, numWindowingMethods };
  WindowingFunction(size_t size, WindowingMethod method, bool normalise = true, T beta = T(0)) {
    fillWindowingTables(size, method, normalise, beta);
  }
  void fillWindowingTables(size_t size, WindowingMethod method, bool normalise = true, T beta = T(0)) {
    table.resize(size);
    fillWindowingTables(table.data(), size, method, normalise, beta);
  }
  static void fillWindowingTables(T *to, size_t size, WindowingMethod method, bool normalise = true, T beta = T(0)) {
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
      to[i] = T(value(size < 2 ? 0.5 : double(i) / double(size - 1), method, double(beta)));
      sum += double(to[i]);
    }
    for (size_t i = 0; normalise && i < size; i++) to[i] *= T(double(size) / sum);
  }
  void multiplyWithWindowingTable(T *samples, size_t size) const {
    for (size_t i = 0; i < jmin(size, table.size()); i++) samples[i] *= table[i];
  }

private:
  /// The height at a position from 0 to 1.
  static double value(double place, WindowingMethod method, double beta) {
    const auto c = [place](int order) { return std::cos(order * MathConstants<double>::twoPi * place); };
    switch (method) {
    case triangular: return 1 - std::abs(2 * place - 1);
    case hann: return 0.5 - 0.5 * c(1);
    case hamming: return 0.54 - 0.46 * c(1);
    case blackman: return 0.42 - 0.5 * c(1) + 0.08 * c(2);
    case blackmanHarris: return 0.35875 - 0.48829 * c(1) + 0.14128 * c(2) - 0.01168 * c(3);
    case flatTop: return 1 - 1.93 * c(1) + 1.29 * c(2) - 0.388 * c(3) + 0.028 * c(4);
    case kaiser: return bessel(beta * std::sqrt(1 - square(2 * place - 1))) / bessel(beta);
    default: return 1;
    }
  }
  /// The modified Bessel function of order 0, as a series.
  static double bessel(double x) {
    double sum = 1, term = 1;
    for (int i = 1; i < 60; i++) sum += term *= square(x / 2 / i);
    return sum;
  }
  std::vector<T> table;
};

namespace FIR {

template <class T> struct Coefficients : ReferenceCountedObject {
  typedef ReferenceCountedObjectPtr<Coefficients> Ptr;
  /// Coefficients of a silent filter.
  Coefficients() : Coefficients(1) {}
  explicit Coefficients(size_t size) { coefficients.resize(int(size)); }
  Coefficients(const T *values, size_t size) : coefficients(values, int(size)) {}
  size_t getFilterOrder() const { return size_t(coefficients.size() - 1); }
  T *getRawCoefficients() { return coefficients.getRawDataPointer(); }
  const T *getRawCoefficients() const { return coefficients.getRawDataPointer(); }
  Array<T> coefficients;
};

template <class T> class Filter {
public:
  Filter() : Filter(new Coefficients<T>()) {}
  Filter(Coefficients<T> *shared) : coefficients(shared) {}
  Filter(typename Coefficients<T>::Ptr shared) : coefficients(shared) {}
  void prepare(const ProcessSpec &) { reset(); }
  void reset() { memory.assign(jmax(memory.size(), size_t(coefficients->coefficients.size())), T()), place = 0; }
  T processSample(T x) {
    const size_t size = size_t(coefficients->coefficients.size());
    if (memory.size() < size) reset();
    place = (place + memory.size() - 1) % memory.size();
    memory[place] = x;
    T sum = T();
    const T *c = coefficients->getRawCoefficients();
    for (size_t i = 0; i < size; i++) sum += c[i] * memory[(place + i) % memory.size()];
    return sum;
  }
  template <class Context> void process(const Context &context) {
    const T *from = context.getInputBlock().getChannelPointer(0);
    T *to = context.getOutputBlock().getChannelPointer(0);
    for (size_t i = 0; i < context.getOutputBlock().getNumSamples(); i++) {
      const T x = from[i], y = processSample(x);
      to[i] = context.isBypassed ? x : y;
    }
  }
  typename Coefficients<T>::Ptr coefficients;

private:
  std::vector<T> memory;
  size_t place = 0;
};

} // namespace FIR

template <class T> struct FIRDesign {
  typedef typename FIR::Coefficients<T>::Ptr FIRCoefficientsPtr;
  static FIRCoefficientsPtr designFIRLowpassWindowMethod(T hz, double rate, size_t order,
                                                         typename WindowingFunction<T>::WindowingMethod method, T beta = T(2)) {
    auto *made = new FIR::Coefficients<T>(order + 1);
    const double share = double(hz) / rate;
    for (size_t i = 0; i <= order; i++) {
      const double x = MathConstants<double>::pi * (double(i) - 0.5 * double(order));
      made->coefficients.set(int(i), T(i == order / 2 ? 2 * share : std::sin(2 * x * share) / x));
    }
    WindowingFunction<T>(order + 1, method, false, beta).multiplyWithWindowingTable(made->getRawCoefficients(), order + 1);
    return made;
  }
};

} // namespace dsp
} // namespace juce
