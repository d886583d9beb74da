// juce_modulation.cpp: chorus, phaser, panner and FIR filter of juce::dsp. SPDX-License-Identifier: MIT
#include <JuceHeader.h>

class Modulation : public juce::AudioProcessor {
public:
  Modulation() {
    addParameter(kind = new juce::AudioParameterChoice({"kind", 1}, "Kind", {"Chorus", "Phaser", "Pan", "Low-pass"}, 0));
    addParameter(depth = new juce::AudioParameterFloat({"depth", 1}, "Depth", 0.0f, 1.0f, 0.0f));
    addParameter(pan = new juce::AudioParameterFloat({"pan", 1}, "Pan", -1.0f, 1.0f, 0.0f));
  }
  void prepareToPlay(double rate, int frames) override {
    const juce::dsp::ProcessSpec spec{rate, juce::uint32(frames), juce::uint32(getMainBusNumOutputChannels())};
    chorus.prepare(spec);
    chorus.setCentreDelay(10.0f);
    chorus.setMix(1.0f);
    phaser.prepare(spec);
    phaser.setMix(1.0f);
    phaser.setFeedback(0.0f);
    panner.setRule(juce::dsp::PannerRule::sin3dB);
    panner.prepare(spec);
    fir.prepare(spec);
    *fir.state = *juce::dsp::FilterDesign<float>::designFIRLowpassWindowMethod(
        6000.0f, rate, 64, juce::dsp::WindowingFunction<float>::kaiser, 6.0f);
  }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override {
    juce::dsp::AudioBlock<float> block(buffer);
    juce::dsp::ProcessContextReplacing<float> context(block);
    chorus.setDepth(*depth);
    phaser.setDepth(*depth);
    panner.setPan(*pan);
    switch (kind->getIndex()) {
    case 0: return chorus.process(context);
    case 1: return phaser.process(context);
    case 2: return panner.process(context);
    default: return fir.process(context);
    }
  }
  const juce::String getName() const override { return "Modulation"; }

private:
  juce::AudioParameterChoice *kind;
  juce::AudioParameterFloat *depth, *pan;
  juce::dsp::Chorus<float> chorus;
  juce::dsp::Phaser<float> phaser;
  juce::dsp::Panner<float> panner;
  juce::dsp::ProcessorDuplicator<juce::dsp::FIR::Filter<float>, juce::dsp::FIR::Coefficients<float>> fir;
};

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Modulation(); }
