// juce_adsr.h: JUCE-style envelopes. SPDX-License-Identifier: MIT
#pragma once

namespace juce {

/// An envelope with linear attack, decay, sustain and release.
class ADSR {
public:
  struct Parameters {
    Parameters() {}
    Parameters(float a, float d, float s, float r) : attack(a), decay(d), sustain(s), release(r) {}
    float attack = 0.1f, decay = 0.1f, sustain = 1, release = 0.1f;
  };
  ADSR() { setParameters(Parameters()); }
  /// Sets the times, for the sample rate that was set before.
  void setParameters(const Parameters &value) {
    now = value;
    rise = step(1, now.attack);
    fall = step(1 - now.sustain, now.decay);
    end = step(now.sustain, now.release);
    if ((stage == rising && rise <= 0) || (stage == releasing && end <= 0) ||
        (stage == falling && (fall <= 0 || level <= now.sustain)))
      advance();
  }
  const Parameters &getParameters() const { return now; }
  void setSampleRate(double hz) { rate = hz; }
  void noteOn() {
    if (rise > 0) return (void)(stage = rising);
    stage = fall > 0 ? falling : holding;
    level = fall > 0 ? 1 : now.sustain;
  }
  void noteOff() {
    if (stage == idle) return;
    if (now.release <= 0) return reset();
    end = step(level, now.release);
    stage = releasing;
  }
  void reset() { stage = idle, level = 0; }
  bool isActive() const { return stage != idle; }
  float getNextSample() {
    switch (stage) {
    case idle: return 0;
    case rising: level += rise;
      if (level >= 1) level = 1, advance();
      break;
    case falling: level -= fall;
      if (level <= now.sustain) level = now.sustain, advance();
      break;
    case holding: level = now.sustain; break;
    case releasing: level -= end;
      if (level <= 0) advance();
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
  float step(float height, float seconds) const { return seconds > 0 ? float(height / (seconds * rate)) : -1; }
  void advance() {
    if (stage == rising) stage = fall > 0 ? falling : holding;
    else if (stage == falling) stage = holding;
    else if (stage == releasing) reset();
  }
  Parameters now;
  Stage stage = idle;
  double rate = 44100;
  float level = 0, rise = 0, fall = 0, end = 0; // steps of a frame
};

} // namespace juce
