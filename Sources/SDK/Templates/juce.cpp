// Effect: a tremolo as a JUCE-style processor. Put yours in its place, without its editor. Save, and it
// is heard at once.
//
//   outboard run effect.cpp                    from the microphone
//   outboard validate ./effect.cpp             test it
//
// The comment below says what the module is. Parameters stand in the order in which the processor adds
// them, with the same ranges.

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

  // On the main thread; memory is taken here. It is called again on the audio thread to go back to
  // silence where there is no reset(), and must take no memory then.
  void prepareToPlay(double sampleRate, int samplesPerBlock) override {
    juce::ignoreUnused(samplesPerBlock);
    seconds = 1 / sampleRate;
    phase = 0;
    // setLatencySamples(frames) where the effect is late: the host makes up for it.
  }

  // On the audio thread: no memory, no locks, no files. The buffer holds the input, and takes the
  // output.
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

// Exports `create`, `process` and the others: the class, and its channels. A class with prepare(spec)
// and process(context) has OUTBOARD_JUCE_DSP here: see outboard/juce.h.
OUTBOARD_JUCE(Effect, 2)
