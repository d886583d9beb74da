// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: drive, name: Drive, unit: dB, minimum: 0, default: 12, maximum: 36}]
#include <outboard/juce.h>

// The original class for juce::dsp.

class Clipper {
public:
  void prepare(const juce::dsp::ProcessSpec &spec) { last.resize(spec.numChannels); }
  void reset() { std::fill(last.begin(), last.end(), 0.0f); }
  void setDrive(float decibels) { drive = juce::Decibels::decibelsToGain(decibels); }
  template <class Context> void process(const Context &context) {
    auto &&in = context.getInputBlock();
    auto &&out = context.getOutputBlock();
    for (size_t c = 0; c < out.getNumChannels(); c++) {
      const float *from = in.getChannelPointer(c);
      float *to = out.getChannelPointer(c);
      for (size_t i = 0; i < out.getNumSamples(); i++) {
        // The mean of two samples softens the distortion.
        const float held = juce::jlimit(-1.0f, 1.0f, from[i] * drive);
        to[i] = (held + last[c]) * 0.5f;
        last[c] = held;
      }
    }
  }

private:
  float drive = 1;
  std::vector<float> last;
};

// The adapter.

static void set(Clipper &clipper, const float *parameters) { clipper.setDrive(parameters[0]); }

OUTBOARD_JUCE_DSP(Clipper, 2, 1, set)
