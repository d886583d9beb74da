// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: gain, name: Gain, unit: dB, minimum: -24, default: 6, maximum: 24}
//     - {symbol: mono, name: Mono, scale: toggle}
#include <outboard/juce.h>

// The original processor for JUCE.

class Level : public juce::AudioProcessor {
public:
  Level() : state(*this, nullptr, "state", layout()) {
    gain = state.getRawParameterValue("gain");
    mono = state.getRawParameterValue("mono");
  }
  static juce::AudioProcessorValueTreeState::ParameterLayout layout() {
    juce::AudioProcessorValueTreeState::ParameterLayout all;
    all.add(std::make_unique<juce::AudioParameterFloat>(
        juce::ParameterID{"gain", 1}, "Gain", juce::NormalisableRange<float>(-24, 24), 6.0f));
    all.add(std::make_unique<juce::AudioParameterBool>(juce::ParameterID{"mono", 1}, "Mono", false));
    return all;
  }
  void prepareToPlay(double sampleRate, int) override {
    smooth.reset(sampleRate, 0.02);
    smooth.setCurrentAndTargetValue(juce::Decibels::decibelsToGain(gain->load()));
  }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override {
    juce::ScopedNoDenormals noDenormals;
    if (*mono >= 0.5f) {
      for (int i = 0; i < buffer.getNumSamples(); i++) {
        const float middle = (buffer.getSample(0, i) + buffer.getSample(1, i)) * 0.5f;
        buffer.setSample(0, i, middle);
        buffer.setSample(1, i, middle);
      }
    }
    smooth.setTargetValue(juce::Decibels::decibelsToGain(gain->load()));
    float *left = buffer.getWritePointer(0), *right = buffer.getWritePointer(1);
    for (int i = 0; i < buffer.getNumSamples(); i++) {
      const float factor = smooth.getNextValue();
      left[i] *= factor;
      right[i] *= factor;
    }
  }

private:
  juce::AudioProcessorValueTreeState state;
  std::atomic<float> *gain, *mono;
  juce::SmoothedValue<float> smooth;
};

// The adapter.

OUTBOARD_JUCE(Level, 2)
