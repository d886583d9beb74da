// juce_gain.cpp: a processor in the style of JUCE 5, without a namespace. SPDX-License-Identifier: MIT
#include "../JuceLibraryCode/JuceHeader.h"

#define GAIN_ID "gain"
#define MODE_ID "mode"

class GainTutorialProcessor : public AudioProcessor, public ValueTree::Listener, public AudioProcessorValueTreeState::Listener
{
public:
    GainTutorialProcessor() : parameters (*this, nullptr)
    {
        NormalisableRange<float> gainRange (-48.0f, 12.0f, 0.1f);
        gainRange.setSkewForCentre (-6.0f);
        parameters.createAndAddParameter (GAIN_ID, "Gain", "dB", gainRange, -6.0f,
            [] (float value) { return String (value, 1); }, [] (const String& text) { return text.removeCharacters (" dB").getFloatValue(); });
        StringArray modes ("Clean", "Soft", "Hard");
        modes.add ("Fold");
        using Parameter = AudioProcessorValueTreeState::Parameter;
        parameters.createAndAddParameter (std::make_unique<Parameter> (MODE_ID, "Mode", String(), NormalisableRange<float> (0.0f, (float) modes.size() - 1, 1.0f), (float) modes.indexOf ("Soft"),
            [modes] (float v) { return modes[(int) v]; }, [modes] (const String& s) { return (float) modes.indexOf (s); }));
        parameters.state = ValueTree (Identifier ("Gain"));
        parameters.state.addListener (this);
        parameters.addParameterListener (GAIN_ID, this);
        levels.add (1.0f);
        levels.add (2.0f);
    }
    void valueTreePropertyChanged (ValueTree&, const Identifier& property) override { if (property == "value") changes++; }
    void parameterChanged (const String& id, float v) override { if (id == GAIN_ID) last = v; }
    void prepareToPlay (double rate, int block) override
    {
        dsp::ProcessSpec spec { rate, (uint32) block, (uint32) getTotalNumOutputChannels() };
        filter.prepare (spec);
        *filter.state = *dsp::IIR::Coefficients<float>::makeHighPass (rate, 30.0f);
        smooth.reset (rate, 0.02);
        delay.setMaximumDelayInSamples ((int) rate);
        delay.prepare (spec);
        random.setSeed (42);
    }
    void releaseResources() override {}
    void processBlock (AudioSampleBuffer& buffer, MidiBuffer& midi) override
    {
        ScopedNoDenormals noDenormals;
        for (const auto metadata : midi) { const auto message = metadata.getMessage(); if (message.isNoteOn()) note = message.getNoteNumber(); }
        MidiBuffer::Iterator it (midi); MidiMessage m; int position;
        while (it.getNextEvent (m, position)) note = m.getNoteNumber();
        float* gain = parameters.getRawParameterValue (GAIN_ID);
        const int mode = roundToInt (*parameters.getRawParameterValue (MODE_ID));
        smooth.setTargetValue (Decibels::decibelsToGain (*gain));
        for (int i = 0; i < buffer.getNumSamples(); ++i) {
            const float g = smooth.getNextValue();
            for (int c = 0; c < buffer.getNumChannels(); ++c) {
                float x = buffer.getSample (c, i) * g;
                if (mode == 1) x = std::tanh (x);
                if (mode == 2) x = jlimit (-1.0f, 1.0f, x * levels[1]);
                if (mode == 3) x = jmap (std::sin (x * float_Pi), -1.0f, 1.0f, -0.9f, 0.9f);
                buffer.setSample (c, i, x + 1e-9f * random.nextFloat());
            }
        }
        dsp::AudioBlock<float> block (buffer);
        filter.process (dsp::ProcessContextReplacing<float> (block));
    }
    const String getName() const override { return JucePlugin_Name; }
    bool acceptsMidi() const override { return false; }
    bool producesMidi() const override { return false; }
    double getTailLengthSeconds() const override { return 0; }
    int getNumPrograms() override { return 1; }
    int getCurrentProgram() override { return 0; }
    void setCurrentProgram (int) override {}
    const String getProgramName (int) override { return {}; }
    void changeProgramName (int, const String&) override {}
    bool hasEditor() const override { return false; }
    AudioProcessorEditor* createEditor() override { return new GenericAudioProcessorEditor (this); }
    void getStateInformation (MemoryBlock& destData) override
    {
        ScopedPointer<XmlElement> xml (parameters.state.createXml());
        copyXmlToBinary (*xml, destData);
    }
    void setStateInformation (const void* data, int size) override
    {
        ScopedPointer<XmlElement> xml (getXmlFromBinary (data, size));
        if (xml != nullptr && xml->hasTagName (parameters.state.getType()))
            parameters.state = ValueTree::fromXml (*xml);
    }
private:
    AudioProcessorValueTreeState parameters;
    dsp::ProcessorDuplicator<dsp::IIR::Filter<float>, dsp::IIR::Coefficients<float>> filter;
    dsp::DelayLine<float> delay { 192000 };
    LinearSmoothedValue<float> smooth;
    OwnedArray<IIRFilter> eq;
    Array<float> levels;
    Random random;
    int note = 0, changes = 0; float last = 0;
    JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR (GainTutorialProcessor)
};

AudioProcessor* JUCE_CALLTYPE createPluginFilter() { return new GainTutorialProcessor(); }
