// juce_oversampling.h: JUCE-style oversampling. SPDX-License-Identifier: MIT
#pragma once

#include "juce_delay.h"
#include "juce_fft.h"

namespace juce {
namespace dsp {

/// The length and coefficients of half-band filters.
///
/// The length of a FIR filter is the estimate of P. Zahradnik, M. Vlcek and R. Unbehauen, "Almost Equiripple FIR
/// Half-Band Filters" (1999); its window is that of Kaiser. The all passes are those of an elliptic filter after
/// R. Valenzuela and A. Constantinides, "Digital Signal Processing Schemes for Efficient Interpolation and
/// Decimation" (1983).
struct HalfBand {
  /// Returns the coefficients at even places; that in the middle is 0.5, the others are 0.
  static std::vector<double> taps(double transition, double decibels) {
    const double edge = (0.5 - transition) * MathConstants<double>::pi;
    const int n = roundToInt(std::ceil((decibels - 18.18840664 * edge + 33.64775300) / (18.54155181 * edge - 29.13196871)));
    const int order = 4 * jmax(1, n) + 2;
    const double depth = 7.95 + 2.285 * MathConstants<double>::twoPi * transition * order;
    std::vector<double> window(size_t(order) + 1), even;
    WindowingFunction<double>::fillWindowingTables(window.data(), window.size(), WindowingFunction<double>::kaiser, false,
                                                   0.1102 * (depth - 8.7));
    double sum = 0;
    for (int i = 0; i <= order; i += 2) {
      const double x = MathConstants<double>::halfPi * (i - order / 2);
      even.push_back(window[size_t(i)] * std::sin(x) / (2 * x));
      sum += even.back();
    }
    for (auto &tap : even) tap *= 0.5 / sum;
    return even;
  }
  /// Returns the coefficients of the all passes, for the direct and the delayed path in turns.
  static std::vector<double> passes(double transition, double decibels) {
    const double k = square(std::tan(MathConstants<double>::pi * (0.25 - transition / 2)));
    const double root = std::sqrt(std::sqrt(1 - k * k)), e = 0.5 * (1 - root) / (1 + root);
    const double q = e + 2 * std::pow(e, 5) + 15 * std::pow(e, 9) + 150 * std::pow(e, 13);
    const double power = std::pow(10.0, decibels / 10), ripple = square(power / (1 - power)) / 16;
    int order = jmax(3, roundToInt(std::ceil(std::log(ripple) / std::log(q))));
    if (order % 2 == 0) order++;
    std::vector<double> all;
    for (int i = 1; 2 * i < order; i++) {
      // Quotient of two theta functions.
      const double angle = MathConstants<double>::pi * i / order;
      double above = 0, below = 0.5;
      for (int m = 0; m < 12; m++) {
        const double sign = m % 2 == 0 ? 1 : -1;
        above += sign * std::pow(q, m * (m + 1)) * std::sin((2 * m + 1) * angle);
        if (m > 0) below += sign * std::pow(q, m * m) * std::cos(2 * m * angle);
      }
      const double w = square(std::pow(q, 0.25) * above / below);
      const double a = std::sqrt((1 - w * k) * (1 - w / k)) / (1 + w);
      all.push_back((1 - a) / (1 + a));
    }
    return all;
  }
};

/// Oversamples by a power of two, with half-band filters of linear phase, or of minimum phase.
template <class T> class Oversampling {
public:
  enum FilterType { filterHalfBandFIREquiripple, filterHalfBandPolyphaseIIR };
  explicit Oversampling(size_t channels = 1) : channel_count(channels) {}
  Oversampling(size_t channels, size_t factor, FilterType type, bool isBest = true, bool isInteger = false)
      : channel_count(channels), is_integer(isInteger) {
    for (size_t s = 0; s < factor; s++) {
      const float first = s == 0 ? 0.5f : 1, higher = (isBest ? 10.0f : 8.0f) * float(s);
      addOversamplingStage(type, (isBest ? 0.1f : 0.12f) * first, (isBest ? -90 : -70) + higher,
                           (isBest ? 0.12f : 0.15f) * first, (isBest ? -75 : -60) + higher);
    }
  }
  void addOversamplingStage(FilterType type, float up, float upDecibels, float down, float downDecibels) {
    stages.emplace_back();
    stages.back().up.design(type, up, upDecibels);
    stages.back().down.design(type, down, downDecibels);
  }
  void clearOversamplingStages() { stages.clear(); }
  void initProcessing(size_t longest) {
    for (size_t s = 0; s < stages.size(); s++) stages[s].prepare(channel_count, longest << s);
    if (stages.empty()) copy.setSize(int(channel_count), int(longest));
    line.prepare({0, uint32(longest), uint32(channel_count)});
    update();
    reset();
  }
  void reset() {
    for (auto &stage : stages) stage.prepare(channel_count, 0);
    line.reset();
  }
  T getLatencyInSamples() const { return T(filterLatency() + (is_integer ? rest : 0)); }
  size_t getOversamplingFactor() const { return size_t(1) << stages.size(); }
  void setUsingIntegerLatency(bool is) { is_integer = is; }
  AudioBlock<T> processSamplesUp(const AudioBlock<const T> &block) {
    if (stages.empty()) {
      const AudioBlock<T> same = AudioBlock<T>(copy).getSubBlock(0, block.getNumSamples());
      same.copyFrom(block);
      return same;
    }
    AudioBlock<T> now = stages[0].rise(block);
    for (size_t s = 1; s < stages.size(); s++) now = stages[s].rise(now);
    return now;
  }
  void processSamplesDown(const AudioBlock<T> &block) {
    if (stages.empty()) block.copyFrom(copy);
    for (size_t s = stages.size(); s-- > 0;)
      stages[s].fall(s == 0 ? block : AudioBlock<T>(stages[s - 1].buffer).getSubBlock(0, block.getNumSamples() << s));
    if (is_integer && rest > 0) line.process(ProcessContextReplacing<T>(block));
  }

private:
  /// The last samples, the newest first.
  struct Ring {
    void assign(size_t size) { count = size, at = 0, samples.assign(2 * size, T()); }
    const T *push(T x) {
      at = at == 0 ? count - 1 : at - 1;
      samples[at] = samples[at + count] = x;
      return samples.data() + at;
    }
    std::vector<T> samples;
    size_t count = 0, at = 0;
  };
  /// The state of a channel: the samples at even and odd places, or the last values of the all passes.
  struct Line {
    Ring even, odd;
    std::vector<T> held;
    T late = T();
  };
  /// A half-band filter at the higher sample rate, as two filters at the lower one.
  struct Filter {
    void design(FilterType is, double transition, double decibels) {
      type = is;
      const auto all = type == filterHalfBandFIREquiripple ? HalfBand::taps(transition, decibels) : HalfBand::passes(transition, decibels);
      values.assign(all.begin(), all.end());
    }
    /// The delay of low frequencies, in samples of the higher rate.
    double latency() const {
      if (type == filterHalfBandFIREquiripple) return double(values.size()) - 1;
      double delay = 0.5;
      for (const T a : values) delay += double((1 - a) / (1 + a));
      return delay;
    }
    void prepare(size_t channels) {
      lines.resize(channels);
      for (auto &line : lines) {
        line.even.assign(values.size());
        line.odd.assign(values.size() / 2 + 1);
        line.held.assign(values.size(), T());
        line.late = T();
      }
    }
    /// Returns the sum of the samples at even places.
    T sum(Line &line, T x) const {
      const T *newest = line.even.push(x);
      T y = T();
      for (size_t i = 0; i < values.size(); i++) y += values[i] * newest[i];
      return y;
    }
    /// Runs the all passes of the direct path, from 0, or of the delayed one, from 1.
    T pass(Line &line, size_t from, T x) const {
      for (size_t i = from; i < values.size(); i += 2) {
        const T y = values[i] * x + line.held[i];
        line.held[i] = x - values[i] * y;
        x = y;
      }
      return x;
    }
    FilterType type = filterHalfBandFIREquiripple;
    std::vector<T> values;
    std::vector<Line> lines;
  };
  struct Stage {
    /// Clears the state; a longest block of 0 keeps the buffer.
    void prepare(size_t channels, size_t longest) {
      if (longest > 0) buffer.setSize(int(channels), int(2 * longest));
      buffer.clear();
      up.prepare(channels);
      down.prepare(channels);
    }
    AudioBlock<T> rise(const AudioBlock<const T> &from) {
      for (size_t c = 0; c < from.getNumChannels(); c++) {
        Line &line = up.lines[c];
        for (size_t i = 0; i < from.getNumSamples(); i++) {
          const T x = from.getChannelPointer(c)[i];
          T *to = buffer.getWritePointer(int(c), int(2 * i));
          const bool isFIR = up.type == filterHalfBandFIREquiripple;
          to[0] = isFIR ? 2 * up.sum(line, x) : up.pass(line, 0, x);
          to[1] = isFIR ? line.even.samples[line.even.at + up.values.size() / 2 - 1] : up.pass(line, 1, x);
        }
      }
      return AudioBlock<T>(buffer).getSubBlock(0, 2 * from.getNumSamples());
    }
    void fall(const AudioBlock<T> &to) {
      for (size_t c = 0; c < to.getNumChannels(); c++) {
        Line &line = down.lines[c];
        for (size_t i = 0; i < to.getNumSamples(); i++) {
          const T *from = buffer.getReadPointer(int(c), int(2 * i));
          T &y = to.getChannelPointer(c)[i];
          if (down.type == filterHalfBandFIREquiripple) {
            y = down.sum(line, from[0]) + line.odd.push(from[1])[down.values.size() / 2] / 2;
          } else {
            y = (down.pass(line, 0, from[0]) + line.late) / 2;
            line.late = down.pass(line, 1, from[1]);
          }
        }
      }
    }
    Filter up, down;
    AudioBuffer<T> buffer;
  };
  double filterLatency() const {
    double all = 0;
    for (size_t s = 0; s < stages.size(); s++) all += (stages[s].up.latency() + stages[s].down.latency()) / double(size_t(2) << s);
    return all;
  }
  /// Finds the delay that makes the latency a whole number.
  void update() {
    rest = std::ceil(filterLatency()) - filterLatency();
    if (rest < 1e-6) rest = 0;
    else if (rest < 0.618) rest++;
    line.setDelay(T(rest));
  }
  std::vector<Stage> stages;
  AudioBuffer<T> copy; // without stages
  DelayLine<T, DelayLineInterpolationTypes::Thiran> line{8};
  size_t channel_count;
  double rest = 0;
  bool is_integer = false;
};

} // namespace dsp
} // namespace juce
