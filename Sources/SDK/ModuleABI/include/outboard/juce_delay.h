// juce_delay.h: JUCE-style delay lines and mixers of dry and wet signals. SPDX-License-Identifier: MIT
#pragma once

#include "juce_dsp.h"

namespace juce {
namespace dsp {

namespace DelayLineInterpolationTypes {
struct None {};
struct Linear {};
struct Lagrange3rd {};
struct Thiran {};
} // namespace DelayLineInterpolationTypes

/// A delay line, whose places for reading and writing move independently.
///
/// Lagrange3rd and Thiran are the interpolations of T. Laakso et al., "Splitting the Unit Delay" (1996).
template <class T, class Kind = DelayLineInterpolationTypes::Linear> class DelayLine {
public:
  DelayLine() : DelayLine(0) {}
  explicit DelayLine(int most) { setMaximumDelayInSamples(most); }
  void setMaximumDelayInSamples(int most) {
    length = jmax(4, most + 2);
    memory.setSize(memory.getNumChannels(), length);
    reset();
  }
  int getMaximumDelayInSamples() const { return length - 2; }
  void setDelay(T value) {
    delay = jlimit(T(), T(length - 2), value);
    whole = int(std::floor(delay));
    part = delay - T(whole);
    // These interpolations are best in the middle of their samples.
    if (whole >= 1 && ((isLagrange && part < T(2)) || (isThiran && part < T(0.618)))) whole--, part++;
    allpass = (1 - part) / (1 + part);
  }
  T getDelay() const { return delay; }
  void prepare(const ProcessSpec &spec) {
    memory.setSize(int(spec.numChannels), length);
    write.assign(spec.numChannels, 0);
    read.assign(spec.numChannels, 0);
    last.assign(spec.numChannels, T());
    reset();
  }
  void reset() {
    std::fill(write.begin(), write.end(), 0);
    std::fill(read.begin(), read.end(), 0);
    std::fill(last.begin(), last.end(), T());
    memory.clear();
  }
  void pushSample(int c, T x) {
    memory.setSample(c, write[size_t(c)], x);
    advance(write[size_t(c)]);
  }
  /// Returns the sample at a delay, or at that of `setDelay` if it is negative. Several reads of a frame do not advance.
  T popSample(int c, T frames = T(-1), bool advances = true) {
    if (frames >= 0) setDelay(frames);
    const T y = interpolated(c);
    if (advances) advance(read[size_t(c)]);
    return y;
  }
  template <class Context> void process(const Context &context) {
    if (passesBypassed(context)) return;
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t c = 0; c < out.getNumChannels(); c++)
      for (size_t i = 0; i < out.getNumSamples(); i++) {
        pushSample(int(c), in.getChannelPointer(c)[i]);
        out.getChannelPointer(c)[i] = popSample(int(c));
      }
  }

private:
  static constexpr bool isNone = std::is_same<Kind, DelayLineInterpolationTypes::None>::value;
  static constexpr bool isLagrange = std::is_same<Kind, DelayLineInterpolationTypes::Lagrange3rd>::value;
  static constexpr bool isThiran = std::is_same<Kind, DelayLineInterpolationTypes::Thiran>::value;

  /// Time runs backwards in memory, so that older samples are at higher places.
  void advance(int &place) { place = place == 0 ? length - 1 : place - 1; }
  T older(int c, int by) const {
    const int at = read[size_t(c)] + whole + by;
    return memory.getSample(c, at < length ? at : at % length);
  }
  T interpolated(int c) {
    if (isNone) return older(c, 0);
    if (isLagrange) {
      const T a = part, b = part - 1, d = part - 2, e = part - 3;
      return (a * (b * (older(c, 3) * d - 3 * older(c, 2) * e) + 3 * older(c, 1) * d * e) - older(c, 0) * b * d * e) / 6;
    }
    if (isThiran) {
      const T y = part == 0 ? older(c, 0) : older(c, 1) + allpass * (older(c, 0) - last[size_t(c)]);
      return last[size_t(c)] = y;
    }
    return older(c, 0) + (older(c, 1) - older(c, 0)) * part;
  }

  AudioBuffer<T> memory;
  std::vector<int> write, read;
  std::vector<T> last; // output of the all pass
  int length = 4, whole = 0;
  T delay = T(), part = T(), allpass = T(1);
};

enum class DryWetMixingRule { linear, balanced, sin3dB, sin4p5dB, sin6dB, squareRoot3dB, squareRoot4p5dB };

/// Mixes the dry input with the processed signal. A change of the mix ramps for 50 ms.
template <class T> class DryWetMixer {
public:
  typedef DryWetMixingRule MixingRule;
  DryWetMixer() : DryWetMixer(0) {}
  explicit DryWetMixer(int longest) : line(longest), hasLatency(longest > 0) { update(); }
  void setMixingRule(DryWetMixingRule is) { rule = is, update(); }
  void setWetMixProportion(T share) { wet = jlimit(T(), T(1), share), update(); }
  void setWetLatency(T frames) { line.setDelay(frames); }
  void prepare(const ProcessSpec &spec) {
    rate = spec.sampleRate;
    line.prepare(spec);
    dry.setSize(int(spec.numChannels), nextPowerOfTwo(int(spec.maximumBlockSize)));
    reset();
  }
  void reset() {
    for (auto *gain : {&in, &out}) gain->reset(rate, 0.05);
    line.reset();
    pushed = mixed = 0;
  }
  void pushDrySamples(const AudioBlock<const T> &block) {
    for (size_t i = 0; i < block.getNumSamples(); i++, pushed++)
      for (size_t c = 0; c < block.getNumChannels(); c++) {
        T x = block.getChannelPointer(c)[i];
        if (hasLatency) {
          line.pushSample(int(c), x);
          x = line.popSample(int(c));
        }
        dry.setSample(int(c), place(pushed), x);
      }
  }
  void mixWetSamples(const AudioBlock<T> &block) {
    for (size_t i = 0; i < block.getNumSamples(); i++, mixed++) {
      const T dry_gain = in.getNextValue(), wet_gain = out.getNextValue();
      for (size_t c = 0; c < block.getNumChannels(); c++) {
        T &sample = block.getChannelPointer(c)[i];
        sample = sample * wet_gain + dry.getSample(int(c), place(mixed)) * dry_gain;
      }
    }
  }

private:
  int place(uint32 frame) const { return int(frame & uint32(dry.getNumSamples() - 1)); }
  T gain(T share) const {
    const T curve = std::sin(MathConstants<T>::halfPi * share);
    switch (rule) {
    case DryWetMixingRule::balanced: return jmin(T(1), 2 * share);
    case DryWetMixingRule::sin3dB: return curve;
    case DryWetMixingRule::sin4p5dB: return std::pow(curve, T(1.5));
    case DryWetMixingRule::sin6dB: return square(curve);
    case DryWetMixingRule::squareRoot3dB: return std::sqrt(share);
    case DryWetMixingRule::squareRoot4p5dB: return std::pow(share, T(0.75));
    default: return share;
    }
  }
  void update() {
    in.setTargetValue(gain(1 - wet));
    out.setTargetValue(gain(wet));
  }
  DelayLine<T> line;
  bool hasLatency;
  AudioBuffer<T> dry; // a ring of dry samples
  uint32 pushed = 0, mixed = 0;
  DryWetMixingRule rule = DryWetMixingRule::linear;
  SmoothedValue<T> in, out;
  double rate = 44100;
  T wet = T(1);
};

} // namespace dsp
} // namespace juce
