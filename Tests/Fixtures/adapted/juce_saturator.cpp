// juce_saturator.cpp: a saturator of juce::dsp in one file, with a wave shaper, a tunable filter and a mixer.
// SPDX-License-Identifier: MIT
#include <JuceHeader.h>

using namespace juce;

class Saturator : public juce::AudioProcessor, private AudioProcessorValueTreeState::Listener {
public:
  Saturator()
      : AudioProcessor(BusesProperties()
                           .withInput("Input", AudioChannelSet::stereo(), true)
                           .withOutput("Output", AudioChannelSet::stereo(), true)),
        state(*this, nullptr, Identifier("Saturator"), parameters()) {
    for (const auto *id : {"drive", "tone", "mix", "kind"}) state.addParameterListener(id, this);
    mode = dynamic_cast<AudioParameterChoice *>(state.getParameter("kind"));
    jassert(mode != nullptr);
  }
  ~Saturator() override {
    for (const auto *id : {"drive", "tone", "mix", "kind"}) state.removeParameterListener(id, this);
  }

  static AudioProcessorValueTreeState::ParameterLayout parameters() {
    std::vector<std::unique_ptr<RangedAudioParameter>> all;
    NormalisableRange<float> tone(200.0f, 20000.0f, 1.0f);
    tone.setSkewForCentre(2000.0f);
    all.push_back(std::make_unique<AudioParameterFloat>(
        ParameterID{"drive", 1}, "Drive", NormalisableRange<float>{0.0f, 24.0f}, 0.0f,
        AudioParameterFloatAttributes().withLabel("dB")));
    all.push_back(std::make_unique<AudioParameterFloat>(
        ParameterID{"tone", 1}, "Tone", tone, 20000.0f, "Hz", AudioProcessorParameter::genericParameter,
        [](float value, int) { return String(roundToInt(value)) + " Hz"; },
        [](const String &text) { return text.upToFirstOccurrenceOf(" ", false, false).getFloatValue(); }));
    all.push_back(std::make_unique<AudioParameterFloat>(ParameterID{"mix", 1}, "Mix", 0.0f, 1.0f, 1.0f));
    all.push_back(std::make_unique<AudioParameterChoice>(
        ParameterID{"kind", 1}, "Kind", StringArray{"Tanh", "Clip", "Sine"}, 1));
    return {all.begin(), all.end()};
  }

  void prepareToPlay(double rate, int frames) override {
    const dsp::ProcessSpec spec{rate, static_cast<uint32>(frames), static_cast<uint32>(getTotalNumOutputChannels())};
    chain.prepare(spec);
    mixer.prepare(spec);
    tail.setSize(2, frames);
    chain.get<1>().functionToUse = [](float x) { return jlimit(-1.0f, 1.0f, x); };
    chain.get<2>().setType(dsp::StateVariableTPTFilterType::lowpass);
    apply();
    setLatencySamples(0);
  }
  void releaseResources() override {}
  void reset() override {
    chain.reset();
    mixer.reset();
  }

  void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
    ScopedNoDenormals noDenormals;
    if (hasChanged.exchange(false)) apply();
    dsp::AudioBlock<float> block(buffer);
    mixer.pushDrySamples(block);
    chain.process(dsp::ProcessContextReplacing<float>(block));
    mixer.mixWetSamples(block);
    for (int c = 0; c < buffer.getNumChannels(); ++c)
      FloatVectorOperations::clip(buffer.getWritePointer(c), buffer.getReadPointer(c), -1.0f, 1.0f, buffer.getNumSamples());
  }

  AudioProcessorEditor *createEditor() override { return new GenericAudioProcessorEditor(*this); }
  bool hasEditor() const override { return true; }
  const String getName() const override { return "Saturator"; }
  bool acceptsMidi() const override { return false; }
  bool producesMidi() const override { return false; }
  double getTailLengthSeconds() const override { return 0; }
  int getNumPrograms() override { return 1; }
  int getCurrentProgram() override { return 0; }
  void setCurrentProgram(int) override {}
  const String getProgramName(int) override { return {}; }
  void changeProgramName(int, const String &) override {}
  void getStateInformation(MemoryBlock &block) override {
    if (auto xml = state.copyState().createXml()) copyXmlToBinary(*xml, block);
  }
  void setStateInformation(const void *data, int size) override {
    if (auto xml = getXmlFromBinary(data, size))
      if (xml->hasTagName(state.state.getType())) state.replaceState(ValueTree::fromXml(*xml));
  }

private:
  void parameterChanged(const String &, float) override { hasChanged = true; }
  void apply() {
    chain.get<0>().setGainDecibels(state.getRawParameterValue("drive")->load());
    chain.get<2>().setCutoffFrequency(*state.getRawParameterValue("tone"));
    mixer.setWetMixProportion(*state.getRawParameterValue("mix"));
    static const std::function<float(float)> shapes[] = {
        [](float x) { return std::tanh(x); }, [](float x) { return jlimit(-1.0f, 1.0f, x); },
        [](float x) { return std::sin(x * MathConstants<float>::halfPi); }};
    chain.get<1>().functionToUse = shapes[mode->getIndex()];
  }

  AudioProcessorValueTreeState state;
  AudioParameterChoice *mode = nullptr;
  std::atomic<bool> hasChanged{true};
  dsp::ProcessorChain<dsp::Gain<float>, dsp::WaveShaper<float, std::function<float(float)>>, dsp::StateVariableTPTFilter<float>> chain;
  dsp::DryWetMixer<float> mixer;
  AudioBuffer<float> tail;

  JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR(Saturator)
};

AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Saturator(); }
