// juce_spectral.cpp: a spectral gate, with a Fourier transform and a window. SPDX-License-Identifier: MIT
#include <juce_audio_processors/juce_audio_processors.h>
#include <juce_dsp/juce_dsp.h>

class SpectralGate : public juce::AudioProcessor {
public:
  SpectralGate() : AudioProcessor(BusesProperties().withInput("In", juce::AudioChannelSet::stereo()).withOutput("Out", juce::AudioChannelSet::stereo())) {
    addParameter(threshold = new juce::AudioParameterFloat(
                     juce::ParameterID("threshold", 1), "Threshold", juce::NormalisableRange<float>(-100.0f, 0.0f), -100.0f,
                     juce::AudioParameterFloatAttributes().withLabel("dB")));
    setLatencySamples(fft.getSize());
  }
  void prepareToPlay(double, int) override { reset(); }
  void reset() override {
    for (auto &channel : channels) channel = Channel();
  }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override {
    for (int c = 0; c < buffer.getNumChannels(); ++c) {
      auto *samples = buffer.getWritePointer(c);
      auto &channel = channels[size_t(c)];
      for (int i = 0; i < buffer.getNumSamples(); ++i) {
        auto &in = channel.in[size_t(channel.at)], &out = channel.out[size_t(channel.at)];
        in = samples[i];
        samples[i] = out;
        out = 0;
        channel.at = (channel.at + 1) % size;
        if (++channel.count % hop == 0) frame(channel);
      }
    }
  }
  const juce::String getName() const override { return "Spectral gate"; }

private:
  static constexpr int order = 10, size = 1 << order, hop = size / 4;
  struct Channel {
    std::array<float, size> in{}, out{};
    std::array<float, size * 2> work{};
    int at = 0, count = 0;
  };
  void frame(Channel &channel) {
    auto *work = channel.work.data();
    for (int i = 0; i < size; ++i) work[i] = channel.in[size_t((channel.at + i) % size)];
    window.multiplyWithWindowingTable(work, size);
    fft.performRealOnlyForwardTransform(work, true);
    auto *bins = reinterpret_cast<std::complex<float> *>(work);
    const float limit = juce::Decibels::decibelsToGain(threshold->get()) * size / 4;
    for (int i = 0; i <= size / 2; ++i)
      if (std::abs(bins[i]) < limit) bins[i] = 0;
    fft.performRealOnlyInverseTransform(work);
    window.multiplyWithWindowingTable(work, size);
    juce::FloatVectorOperations::multiply(work, 2.0f / 3.0f, size);
    for (int i = 0; i < size; ++i) channel.out[size_t((channel.at + i) % size)] += work[i];
  }
  juce::dsp::FFT fft{order};
  juce::dsp::WindowingFunction<float> window{size + 1, juce::dsp::WindowingFunction<float>::hann, false};
  std::array<Channel, 2> channels;
  juce::AudioParameterFloat *threshold;
};

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new SpectralGate(); }
