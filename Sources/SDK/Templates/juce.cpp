// Effect: a tremolo as a JUCE-style processor. Replace it with your code, without the editor. Edit and
// save: the running session reloads it.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below is the manifest. Parameters are in the order in which the processor adds them,
// with the same ranges.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <outboard/juce.h>

class Effect : public juce::AudioProcessor {
public:
  Effect() {
    addParameter(rate = new juce::AudioParameterFloat("rate", "Rate", 0.1f, 20, 5));
    addParameter(depth = new juce::AudioParameterFloat("depth", "Depth", 0, 1, 0.7f));
  }

  // Runs on the main thread. Allocate all memory here. Without reset(), the host also calls it on the
  // audio thread to clear the signal state. It must not allocate then.
  void prepareToPlay(double sampleRate, int samplesPerBlock) override {
    juce::ignoreUnused(samplesPerBlock);
    seconds = 1 / sampleRate;
    phase = 0;
    // setLatencySamples(frames) if the effect has latency: the host compensates for it.
  }

  // Runs on the audio thread: no allocation, locks or file access. The buffer contains the input and
  // receives the output.
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override {
    juce::ScopedNoDenormals noDenormals;
    const double step = rate->get() * seconds;
    for (int i = 0; i < buffer.getNumSamples(); i++) {
      const double wave = 0.5 - 0.5 * std::cos(juce::MathConstants<double>::twoPi * phase);
      for (int c = 0; c < buffer.getNumChannels(); c++)
        buffer.getWritePointer(c)[i] *= float(1 - depth->get() * wave);
      phase += step;
      if (phase >= 1) phase -= 1;
    }
  }

private:
  juce::AudioParameterFloat *rate, *depth;
  double seconds = 0; // of a frame
  double phase = 0;   // 0 to 1
};

// Exports `create`, `process` and the other functions for the class, with its channels. For a class with
// prepare(spec) and process(context) use OUTBOARD_JUCE_DSP. See outboard/juce.h.
OUTBOARD_JUCE(Effect, 2)
