// juce_synth.cpp: a MIDI instrument in the style of JUCE, without audio input. SPDX-License-Identifier: MIT
#include <juce_audio_processors/juce_audio_processors.h>

class Beep : public juce::AudioProcessor {
public:
  Beep() : AudioProcessor(BusesProperties().withOutput("Output", juce::AudioChannelSet::stereo(), true)) {
    addParameter(level = new juce::AudioParameterFloat("level", "Level", 0.0f, 1.0f, 0.5f));
  }
  void prepareToPlay(double sampleRate, int) override {
    rate = sampleRate;
    envelope.reset(sampleRate, 0.01);
    phase = 0;
  }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &messages) override {
    buffer.clear();
    int frame = 0;
    for (const auto event : messages) {
      render(buffer, frame, event.samplePosition);
      frame = event.samplePosition;
      const auto message = event.getMessage();
      if (message.isNoteOn()) {
        note = message.getNoteNumber();
        envelope.setTargetValue(message.getFloatVelocity());
      } else if (message.isNoteOff() && message.getNoteNumber() == note) {
        envelope.setTargetValue(0);
      }
    }
    render(buffer, frame, buffer.getNumSamples());
  }
  const juce::String getName() const override { return "Beep"; }
  bool acceptsMidi() const override { return true; }
  juce::AudioProcessorEditor *createEditor() override { return nullptr; }

private:
  void render(juce::AudioBuffer<float> &buffer, int from, int to) {
    const double step = juce::MathConstants<double>::twoPi * juce::MidiMessage::getMidiNoteInHertz(note) / rate;
    for (int i = from; i < to; ++i) {
      const float sample = envelope.getNextValue() * level->get() * float(std::sin(phase));
      phase = std::fmod(phase + step, juce::MathConstants<double>::twoPi);
      for (int c = 0; c < buffer.getNumChannels(); ++c) buffer.addSample(c, i, sample);
    }
  }
  juce::AudioParameterFloat *level;
  juce::SmoothedValue<float> envelope;
  double rate = 44100, phase = 0;
  int note = 69;
};

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Beep(); }
