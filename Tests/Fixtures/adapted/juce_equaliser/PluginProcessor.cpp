// PluginProcessor.cpp: the processor of the equaliser. SPDX-License-Identifier: MIT
#include "PluginProcessor.h"
#include "PluginEditor.h"

EqualiserProcessor::EqualiserProcessor()
    : AudioProcessor(BusesProperties()
                         .withInput("Input", juce::AudioChannelSet::stereo(), true)
                         .withOutput("Output", juce::AudioChannelSet::stereo(), true)) {}
EqualiserProcessor::~EqualiserProcessor() = default;

void EqualiserProcessor::prepareToPlay(double sampleRate, int samplesPerBlock) {
  juce::dsp::ProcessSpec spec;
  spec.maximumBlockSize = static_cast<juce::uint32>(samplesPerBlock);
  spec.numChannels = 1;
  spec.sampleRate = sampleRate;
  left.prepare(spec);
  right.prepare(spec);
  update();
}

void EqualiserProcessor::releaseResources() {}

bool EqualiserProcessor::isBusesLayoutSupported(const BusesLayout &layouts) const {
  return layouts.getMainOutputChannelSet() == juce::AudioChannelSet::stereo() &&
         layouts.getMainOutputChannelSet() == layouts.getMainInputChannelSet();
}

void EqualiserProcessor::processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) {
  juce::ScopedNoDenormals noDenormals;
  for (auto i = getTotalNumInputChannels(); i < getTotalNumOutputChannels(); ++i)
    buffer.clear(i, 0, buffer.getNumSamples());
  update();
  juce::dsp::AudioBlock<float> block(buffer);
  auto leftBlock = block.getSingleChannelBlock(0);
  auto rightBlock = block.getSingleChannelBlock(1);
  left.process(juce::dsp::ProcessContextReplacing<float>(leftBlock));
  right.process(juce::dsp::ProcessContextReplacing<float>(rightBlock));
}

juce::AudioProcessorEditor *EqualiserProcessor::createEditor() { return new EqualiserEditor(*this); }

void EqualiserProcessor::getStateInformation(juce::MemoryBlock &destData) {
  juce::MemoryOutputStream stream(destData, true);
  state.state.writeToStream(stream);
}

void EqualiserProcessor::setStateInformation(const void *data, int sizeInBytes) {
  auto tree = juce::ValueTree::readFromData(data, static_cast<size_t>(sizeInBytes));
  if (tree.isValid()) state.replaceState(tree);
}

Settings readSettings(juce::AudioProcessorValueTreeState &state) {
  Settings settings;
  settings.cutHz = state.getRawParameterValue("cut")->load();
  settings.bandHz = state.getRawParameterValue("band")->load();
  settings.bandDecibels = state.getRawParameterValue("gain")->load();
  settings.bandQuality = state.getRawParameterValue("quality")->load();
  settings.cutSlope = static_cast<int>(state.getRawParameterValue("slope")->load());
  return settings;
}

void EqualiserProcessor::update() {
  const auto settings = readSettings(state);
  auto band = juce::dsp::IIR::Coefficients<float>::makePeakFilter(
      getSampleRate(), settings.bandHz, settings.bandQuality,
      juce::Decibels::decibelsToGain(settings.bandDecibels));
  auto cut = juce::dsp::FilterDesign<float>::designIIRHighpassHighOrderButterworthMethod(
      settings.cutHz, getSampleRate(), 2 * (settings.cutSlope + 1));
  for (auto *chain : {&left, &right}) {
    chain->get<GainPlace>().setGainLinear(1);
    *chain->get<BandPlace>().coefficients = *band;
    set<0>(chain->get<CutPlace>(), cut);
    set<1>(chain->get<CutPlace>(), cut);
  }
}

juce::AudioProcessorValueTreeState::ParameterLayout EqualiserProcessor::layout() {
  juce::AudioProcessorValueTreeState::ParameterLayout all;
  using Range = juce::NormalisableRange<float>;
  all.add(std::make_unique<juce::AudioParameterFloat>("cut", "Low Cut", Range(20.f, 20000.f, 1.f, 0.25f), 20.f));
  all.add(std::make_unique<juce::AudioParameterFloat>("band", "Band", Range(20.f, 20000.f, 1.f, 0.25f), 1000.f));
  all.add(std::make_unique<juce::AudioParameterFloat>("gain", "Band Gain", Range(-24.f, 24.f, 0.5f), 0.f));
  all.add(std::make_unique<juce::AudioParameterFloat>("quality", "Band Quality", Range(0.1f, 10.f, 0.05f), 1.f));
  juce::StringArray slopes;
  for (int i = 0; i < 2; ++i) {
    juce::String text;
    text << (12 + i * 12) << " dB/Oct";
    slopes.add(text);
  }
  all.add(std::make_unique<juce::AudioParameterChoice>("slope", "Slope", slopes, 0));
  return all;
}

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new EqualiserProcessor(); }
