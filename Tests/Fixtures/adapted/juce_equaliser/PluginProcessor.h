// PluginProcessor.h: an equaliser in the style of JUCE 7, with an editor. SPDX-License-Identifier: MIT
#pragma once

#include <JuceHeader.h>

struct Settings {
  float cutHz = 20, bandHz = 1000, bandDecibels = 0, bandQuality = 1;
  int cutSlope = 0;
};

Settings readSettings(juce::AudioProcessorValueTreeState &state);

class EqualiserProcessor : public juce::AudioProcessor {
public:
  EqualiserProcessor();
  ~EqualiserProcessor() override;

  void prepareToPlay(double sampleRate, int samplesPerBlock) override;
  void releaseResources() override;
  bool isBusesLayoutSupported(const BusesLayout &layouts) const override;
  void processBlock(juce::AudioBuffer<float> &, juce::MidiBuffer &) override;

  juce::AudioProcessorEditor *createEditor() override;
  bool hasEditor() const override { return true; }
  const juce::String getName() const override { return JucePlugin_Name; }
  bool acceptsMidi() const override { return false; }
  bool producesMidi() const override { return false; }
  double getTailLengthSeconds() const override { return 0.0; }
  int getNumPrograms() override { return 1; }
  int getCurrentProgram() override { return 0; }
  void setCurrentProgram(int) override {}
  const juce::String getProgramName(int) override { return {}; }
  void changeProgramName(int, const juce::String &) override {}
  void getStateInformation(juce::MemoryBlock &destData) override;
  void setStateInformation(const void *data, int sizeInBytes) override;

  static juce::AudioProcessorValueTreeState::ParameterLayout layout();
  juce::AudioProcessorValueTreeState state{*this, nullptr, "Parameters", layout()};

private:
  using Filter = juce::dsp::IIR::Filter<float>;
  using Cut = juce::dsp::ProcessorChain<Filter, Filter>;
  using Mono = juce::dsp::ProcessorChain<Cut, Filter, juce::dsp::Gain<float>>;
  enum Place { CutPlace, BandPlace, GainPlace };
  Mono left, right;

  void update();
  typedef juce::ReferenceCountedArray<juce::dsp::IIR::Coefficients<float>> Sections;
  template <int index> static void set(Cut &cut, const Sections &made) {
    cut.setBypassed<index>(index >= made.size());
    if (index < made.size()) *cut.get<index>().coefficients = *made[index];
  }

  JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR(EqualiserProcessor)
};
