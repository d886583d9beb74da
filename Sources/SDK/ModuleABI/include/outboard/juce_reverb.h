// juce_reverb.h: JUCE-style reverb. SPDX-License-Identifier: MIT
#pragma once

#include "juce_blocks.h"

namespace juce {

/// A reverb of eight comb filters and four all passes per channel, after Jezar's Freeverb.
class Reverb {
public:
  struct Parameters {
    float roomSize = 0.5f, damping = 0.5f, wetLevel = 0.33f, dryLevel = 0.4f, width = 1, freezeMode = 0;
  };
  Reverb() {
    setParameters(Parameters());
    setSampleRate(44100);
  }
  const Parameters &getParameters() const { return now; }
  /// Sets the values, to which the gains ramp for 10 ms.
  void setParameters(const Parameters &value) {
    now = value;
    const bool isFrozen = now.freezeMode >= 0.5f;
    const float wet = now.wetLevel * 3;
    gain = isFrozen ? 0 : 0.015f;
    damping.setTargetValue(isFrozen ? 0 : now.damping * 0.4f);
    feedback.setTargetValue(isFrozen ? 1 : now.roomSize * 0.28f + 0.7f);
    dry.setTargetValue(now.dryLevel * 2);
    same.setTargetValue(wet * (1 + now.width) / 2);
    other.setTargetValue(wet * (1 - now.width) / 2);
  }
  void setSampleRate(double rate) {
    static const int combs[] = {1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617}, passes[] = {556, 441, 341, 225};
    for (size_t side = 0; side < 2; side++) {
      const int spread = side == 0 ? 0 : 23;
      const auto frames = [&](int at_44100) { return size_t(jmax(1, int(int64(rate) * (at_44100 + spread) / 44100))); };
      for (size_t i = 0; i < 8; i++) lines[side][i].assign(frames(combs[i]));
      for (size_t i = 0; i < 4; i++) lines[side][8 + i].assign(frames(passes[i]));
    }
    for (auto *value : {&damping, &feedback, &dry, &same, &other}) value->reset(rate, 0.01);
  }
  void reset() {
    for (auto &side : lines)
      for (auto &line : side) line.assign(line.memory.size());
  }
  void processStereo(float *left, float *right, int count) {
    for (int i = 0; i < count; i++) {
      const float in = (left[i] + right[i]) * gain;
      const float damp = damping.getNextValue(), back = feedback.getNextValue();
      const float a = run(0, in, damp, back), b = run(1, in, damp, back);
      const float through = dry.getNextValue(), one = same.getNextValue(), two = other.getNextValue();
      left[i] = a * one + b * two + left[i] * through;
      right[i] = b * one + a * two + right[i] * through;
    }
  }
  void processMono(float *samples, int count) {
    for (int i = 0; i < count; i++) {
      const float damp = damping.getNextValue(), back = feedback.getNextValue();
      const float wet = run(0, samples[i] * gain, damp, back) * same.getNextValue();
      samples[i] = wet + samples[i] * dry.getNextValue();
    }
  }

private:
  struct Line {
    void assign(size_t count) { memory.assign(count, 0), at = 0, held = 0; }
    std::vector<float> memory;
    size_t at = 0;
    float held = 0;
  };
  float run(size_t side, float in, float damp, float back) {
    float sum = 0;
    for (size_t i = 0; i < 12; i++) {
      Line &line = lines[side][i];
      float &cell = line.memory[line.at];
      if (i < 8) {
        const float out = cell;
        line.held = out * (1 - damp) + line.held * damp;
        cell = in + line.held * back;
        sum += out;
      } else {
        const float out = cell - sum;
        cell = sum + cell * 0.5f;
        sum = out;
      }
      line.at = line.at + 1 == line.memory.size() ? 0 : line.at + 1;
    }
    return sum;
  }
  Parameters now;
  float gain = 0;
  SmoothedValue<float> damping, feedback, dry, same, other; // gains of the same side and of the other one
  std::array<std::array<Line, 12>, 2> lines;
};

namespace dsp {

/// The reverb as a processor.
class Reverb {
public:
  typedef juce::Reverb::Parameters Parameters;
  const Parameters &getParameters() const { return reverb.getParameters(); }
  void setParameters(const Parameters &value) { reverb.setParameters(value); }
  void setEnabled(bool is) { isOn = is; }
  bool isEnabled() const { return isOn; }
  void prepare(const ProcessSpec &spec) { reverb.setSampleRate(spec.sampleRate); }
  void reset() { reverb.reset(); }
  template <class Context> void process(const Context &context) {
    auto &&out = context.getOutputBlock();
    if (context.usesSeparateInputAndOutputBlocks()) out.copyFrom(context.getInputBlock());
    if (!isOn || context.isBypassed) return;
    const int count = int(out.getNumSamples());
    if (out.getNumChannels() == 1) reverb.processMono(out.getChannelPointer(0), count);
    else reverb.processStereo(out.getChannelPointer(0), out.getChannelPointer(1), count);
  }

private:
  juce::Reverb reverb;
  bool isOn = true;
};

} // namespace dsp
} // namespace juce
