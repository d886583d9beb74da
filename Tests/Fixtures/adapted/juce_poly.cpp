// juce_poly.cpp: a polyphonic instrument in the style of JUCE's tutorials. SPDX-License-Identifier: MIT
#include <JuceHeader.h>

struct SineSound : public juce::SynthesiserSound {
  bool appliesToNote(int) override { return true; }
  bool appliesToChannel(int) override { return true; }
};

struct SineVoice : public juce::SynthesiserVoice {
  bool canPlaySound(juce::SynthesiserSound *sound) override { return dynamic_cast<SineSound *>(sound) != nullptr; }
  void startNote(int note, float velocity, juce::SynthesiserSound *, int wheel) override {
    angle = 0;
    level = velocity * 0.25;
    hertz = juce::MidiMessage::getMidiNoteInHertz(note);
    pitchWheelMoved(wheel);
    envelope.setSampleRate(getSampleRate());
    envelope.setParameters({0.0f, 0.0f, 1.0f, 0.01f});
    envelope.noteOn();
  }
  void stopNote(float, bool allowTailOff) override {
    if (allowTailOff) return envelope.noteOff();
    envelope.reset();
    clearCurrentNote();
  }
  void pitchWheelMoved(int value) override {
    const double semitones = 2.0 * (value - 8192) / 8192;
    step = hertz * std::pow(2.0, semitones / 12) / getSampleRate() * juce::MathConstants<double>::twoPi;
  }
  void controllerMoved(int, int) override {}
  using SynthesiserVoice::renderNextBlock;
  void renderNextBlock(juce::AudioBuffer<float> &buffer, int start, int count) override {
    if (!isVoiceActive()) return;
    while (--count >= 0) {
      const float sample = float(std::sin(angle) * level) * envelope.getNextSample();
      for (int channel = buffer.getNumChannels(); --channel >= 0;) buffer.addSample(channel, start, sample);
      angle += step;
      start++;
      if (!envelope.isActive()) {
        clearCurrentNote();
        break;
      }
    }
  }
  juce::ADSR envelope;
  double angle = 0, step = 0, level = 0, hertz = 440;
};

class Poly : public juce::AudioProcessor {
public:
  Poly() : AudioProcessor(BusesProperties().withOutput("Output", juce::AudioChannelSet::stereo(), true)) {
    for (int i = 0; i < 3; ++i) synth.addVoice(new SineVoice());
    synth.addSound(new SineSound());
  }
  void prepareToPlay(double sampleRate, int) override {
    synth.setCurrentPlaybackSampleRate(sampleRate);
    keys.reset();
  }
  void reset() override { synth.allNotesOff(0, false); }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &messages) override {
    juce::ScopedNoDenormals noDenormals;
    for (int i = getTotalNumInputChannels(); i < getTotalNumOutputChannels(); ++i) buffer.clear(i, 0, buffer.getNumSamples());
    keys.processNextMidiBuffer(messages, 0, buffer.getNumSamples(), true);
    synth.renderNextBlock(buffer, messages, 0, buffer.getNumSamples());
  }
  const juce::String getName() const override { return JucePlugin_Name; }
  bool acceptsMidi() const override { return true; }

private:
  juce::Synthesiser synth;
  juce::MidiKeyboardState keys;
  JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR(Poly)
};

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Poly(); }
