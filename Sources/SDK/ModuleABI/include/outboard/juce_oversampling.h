// juce_oversampling.h: JUCE-style oversampling, tables, envelopes and a ladder filter. SPDX-License-Identifier: MIT
#pragma once

#include "juce_dsp.h"

namespace juce {
namespace dsp {

/// Oversamples by a power of two, with linear-phase half-band filters.
template <class T> class Oversampling {
public:
  enum FilterType { filterHalfBandFIREquiripple, filterHalfBandPolyphaseIIR };
  explicit Oversampling(size_t channels = 1) : channel_count(channels) {}
  Oversampling(size_t channels, size_t factor, FilterType, bool = true, bool = false)
      : stages(factor), channel_count(channels) {}
  void addOversamplingStage(FilterType, float, float, float, float) { stages.emplace_back(); }
  void clearOversamplingStages() { stages.clear(); }
  void initProcessing(size_t longest) {
    for (size_t s = 0; s < stages.size(); s++) stages[s].prepare(channel_count, longest << (s + 1));
    reset();
  }
  void reset() {
    for (auto &stage : stages) stage.reset();
  }
  T getLatencyInSamples() const {
    T all = T();
    for (size_t s = 0; s < stages.size(); s++) all += T(taps - 1) / T(size_t(2) << s);
    return all;
  }
  size_t getOversamplingFactor() const { return size_t(1) << stages.size(); }
  void setUsingIntegerLatency(bool) {}
  AudioBlock<T> processSamplesUp(const AudioBlock<T> &block) {
    AudioBlock<T> now = block;
    for (auto &stage : stages) now = stage.up(now);
    return now;
  }
  void processSamplesDown(const AudioBlock<T> &block) {
    for (size_t s = stages.size(); s-- > 0;)
      stages[s].down(s == 0 ? block : AudioBlock<T>(stages[s - 1].buffer).getSubBlock(0, block.getNumSamples() << s));
  }

private:
  static constexpr int taps = 65;
  /// A low pass at a quarter of the sample rate, with a Blackman window.
  static const std::array<T, size_t(taps)> &filter() {
    static const std::array<T, size_t(taps)> made = [] {
      std::array<T, size_t(taps)> h{};
      for (int i = 0; i < taps; i++) {
        const double x = i - taps / 2, p = 2 * MathConstants<double>::pi * i / (taps - 1);
        const double sinc = i == taps / 2 ? 0.5 : std::sin(MathConstants<double>::halfPi * x) / (MathConstants<double>::pi * x);
        h[size_t(i)] = T(sinc * (0.42 - 0.5 * std::cos(p) + 0.08 * std::cos(2 * p)));
      }
      return h;
    }();
    return made;
  }
  /// The last samples of a channel at the higher sample rate.
  struct Line {
    std::array<T, size_t(taps)> samples{};
    int at = 0;
    void push(T x) {
      samples[size_t(at)] = x;
      at = at + 1 == taps ? 0 : at + 1;
    }
    T sum() const {
      const auto &h = filter();
      T all = T();
      for (int i = 0, from = at; i < taps; i++) {
        all += h[size_t(i)] * samples[size_t(from)];
        from = from + 1 == taps ? 0 : from + 1;
      }
      return all;
    }
  };
  struct Stage {
    void prepare(size_t channels, size_t longest) {
      buffer.setSize(int(channels), int(longest));
      rising.assign(channels, Line());
      falling.assign(channels, Line());
      filter();
    }
    void reset() {
      std::fill(rising.begin(), rising.end(), Line());
      std::fill(falling.begin(), falling.end(), Line());
    }
    AudioBlock<T> up(const AudioBlock<T> &from) {
      for (size_t c = 0; c < from.getNumChannels(); c++)
        for (size_t i = 0; i < 2 * from.getNumSamples(); i++) {
          rising[c].push(i % 2 == 0 ? 2 * from.getChannelPointer(c)[i / 2] : T());
          buffer.setSample(int(c), int(i), rising[c].sum());
        }
      return AudioBlock<T>(buffer).getSubBlock(0, 2 * from.getNumSamples());
    }
    void down(const AudioBlock<T> &to) {
      for (size_t c = 0; c < to.getNumChannels(); c++)
        for (size_t i = 0; i < 2 * to.getNumSamples(); i++) {
          falling[c].push(buffer.getSample(int(c), int(i)));
          if (i % 2 == 0) to.getChannelPointer(c)[i / 2] = falling[c].sum();
        }
    }
    AudioBuffer<T> buffer;
    std::vector<Line> rising, falling;
  };
  std::vector<Stage> stages;
  size_t channel_count;
};

/// A function as a table with linear interpolation.
template <class T> class LookupTableTransform {
public:
  LookupTableTransform() {}
  LookupTableTransform(const std::function<T(T)> &function, T low, T high, size_t count) { initialise(function, low, high, count); }
  void initialise(const std::function<T(T)> &function, T low, T high, size_t count) {
    first = low, last = high;
    values.resize(jmax(size_t(2), count));
    for (size_t i = 0; i < values.size(); i++) values[i] = function(low + (high - low) * T(i) / T(values.size() - 1));
  }
  T processSample(T x) const {
    const T at = (jlimit(first, last, x) - first) / (last - first) * T(values.size() - 1);
    const size_t whole = jmin(size_t(at), values.size() - 2);
    return values[whole] + (values[whole + 1] - values[whole]) * (at - T(whole));
  }
  T operator()(T x) const { return processSample(x); }
  T operator[](T x) const { return processSample(x); }
  void process(const T *from, T *to, size_t count) const {
    for (size_t i = 0; i < count; i++) to[i] = processSample(from[i]);
  }

private:
  T first = T(-1), last = T(1);
  std::vector<T> values{T(-1), T(1)};
};

enum class LadderFilterMode { LPF12, HPF12, BPF12, LPF24, HPF24, BPF24 };

/// A four-pole ladder filter with a drive before it.
template <class T> class LadderFilter : public SampleProcessor<LadderFilter<T>, T> {
public:
  typedef LadderFilterMode Mode;
  void setMode(Mode is) { mode = is; }
  void setEnabled(bool is) { isOn = is; }
  void setCutoffFrequencyHz(T value) { hz = value, update(); }
  void setResonance(T share) { ring = 4 * jlimit(T(), T(1), share); }
  void setDrive(T value) { drive = jmax(T(1), value); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    poles.assign(spec.numChannels, {});
    update();
  }
  void reset() { std::fill(poles.begin(), poles.end(), std::array<T, 5>{}); }
  T processSample(int c, T x) {
    if (!isOn) return x;
    auto &p = poles[size_t(c)];
    T in = std::tanh(drive * x - ring * std::tanh(p[4]));
    p[0] = in;
    for (size_t i = 1; i < 5; i++) {
      p[i] += g * (in - p[i]);
      in = p[i];
    }
    switch (mode) {
    case Mode::LPF12: return p[2];
    case Mode::HPF12: return p[0] - 2 * p[1] + p[2];
    case Mode::BPF12: return 2 * (p[1] - p[2]);
    case Mode::LPF24: return p[4];
    case Mode::HPF24: return p[0] - 4 * p[1] + 6 * p[2] - 4 * p[3] + p[4];
    case Mode::BPF24: return 4 * (p[2] - 2 * p[3] + p[4]);
    }
    return p[4];
  }

private:
  void update() { g = T(1) - std::exp(-MathConstants<T>::twoPi * jlimit(T(1), T(rate * 0.45), hz) / T(rate)); }
  Mode mode = Mode::LPF12;
  double rate = 44100;
  T hz = T(1000), ring = T(), drive = T(1), g = T();
  bool isOn = true;
  std::vector<std::array<T, 5>> poles;
};

} // namespace dsp

/// An envelope with linear attack, decay, sustain and release.
class ADSR {
public:
  struct Parameters {
    Parameters() {}
    Parameters(float a, float d, float s, float r) : attack(a), decay(d), sustain(s), release(r) {}
    float attack = 0.1f, decay = 0.1f, sustain = 1, release = 0.1f;
  };
  void setParameters(const Parameters &value) { now = value; }
  const Parameters &getParameters() const { return now; }
  void setSampleRate(double hz) { rate = hz; }
  void noteOn() { stage = rising; }
  void noteOff() {
    if (stage == idle) return;
    stage = releasing;
    from = level;
  }
  void reset() { stage = idle, level = 0; }
  bool isActive() const { return stage != idle; }
  float getNextSample() {
    switch (stage) {
    case idle: return 0;
    case rising: level += step(1, now.attack);
      if (level >= 1) level = 1, stage = falling;
      break;
    case falling: level -= step(1 - now.sustain, now.decay);
      if (level <= now.sustain) level = now.sustain, stage = holding;
      break;
    case holding: level = now.sustain; break;
    case releasing: level -= step(from, now.release);
      if (level <= 0) reset();
      break;
    }
    return level;
  }
  template <class Buffer> void applyEnvelopeToBuffer(Buffer &buffer, int start, int count) {
    for (int i = start; i < start + count; i++) {
      const float gain = getNextSample();
      for (int c = 0; c < buffer.getNumChannels(); c++) buffer.getWritePointer(c)[i] *= gain;
    }
  }

private:
  enum Stage { idle, rising, falling, holding, releasing };
  float step(float height, float seconds) const { return seconds > 0 ? height / float(seconds * rate) : 1; }
  Parameters now;
  Stage stage = idle;
  double rate = 44100;
  float level = 0, from = 0;
};

} // namespace juce
