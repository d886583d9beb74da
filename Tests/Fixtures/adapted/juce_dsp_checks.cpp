// juce_dsp_checks.cpp: numbers of the effects of juce::dsp. SPDX-License-Identifier: MIT

#include "juce_checks.h"

static const double rate = 48000;
static const double pi = MathConstants<double>::pi;
typedef AudioBuffer<float> Buffer;

static double decibels(double gain) { return 20 * std::log10(gain); }

static Buffer sine(double hertz, double amplitude, int count) {
  Buffer made(1, count);
  for (int i = 0; i < count; i++) made.setSample(0, i, float(amplitude * std::sin(2 * pi * hertz * i / rate)));
  return made;
}
static Buffer impulse(int count, float height = 1) {
  Buffer made(1, count);
  made.clear();
  made.setSample(0, 0, height);
  return made;
}
/// Renders in blocks of 500 frames.
template <class Effect> static Buffer render(Effect &effect, Buffer buffer) {
  for (int start = 0; start < buffer.getNumSamples(); start += 500) {
    const int count = jmin(500, buffer.getNumSamples() - start);
    auto block = dsp::AudioBlock<float>(buffer).getSubBlock(size_t(start), size_t(count));
    effect.process(dsp::ProcessContextReplacing<float>(block));
  }
  return buffer;
}
template <class Effect> static void prepare(Effect &effect, uint32 channels = 1) { effect.prepare({rate, 500, channels}); }

/// The level of the last second of a sine in dBFS, by its peaks or its power.
static double peak(const Buffer &b) { return decibels(double(b.getMagnitude(0, b.getNumSamples() - 24000, 24000))); }
static double power(const Buffer &b) { return decibels(double(b.getRMSLevel(0, b.getNumSamples() - 24000, 24000)) * std::sqrt(2.0)); }

static void dynamics() {
  dsp::Limiter<float> limiter;
  limiter.setThreshold(-12);
  limiter.setRelease(100);
  prepare(limiter);
  NEAR(peak(render(limiter, sine(200, 0.01, 48000))), -24.25, 0.01);
  limiter.reset();
  CHECK(render(limiter, sine(200, 8, 48000)).getMagnitude(0, 0, 48000) <= 1);

  dsp::NoiseGate<float> gate;
  gate.setThreshold(-20);
  gate.setRatio(10);
  gate.setAttack(1);
  gate.setRelease(5);
  prepare(gate);
  NEAR(power(render(gate, sine(200, 0.12, 48000))), decibels(0.12), 0.02);
  NEAR(peak(render(gate, sine(200, 0.12, 48000))), decibels(0.12), 0.02);

  dsp::BallisticsFilter<float> envelope;
  envelope.setLevelCalculationType(dsp::BallisticsFilter<float>::LevelCalculationType::RMS);
  envelope.setAttackTime(100);
  envelope.setReleaseTime(100);
  prepare(envelope);
  NEAR(render(envelope, sine(1000, 0.5, 48000)).getSample(0, 47999), 0.5 / std::sqrt(2.0), 0.01);

  dsp::Compressor<float> compressor;
  compressor.setThreshold(-20);
  compressor.setRatio(4);
  prepare(compressor);
  Buffer loud(1, 48000);
  for (int i = 0; i < 48000; i++) loud.setSample(0, i, 0.5f);
  NEAR(peak(render(compressor, loud)), -20 + (decibels(0.5) + 20) / 4, 0.01);

  dsp::LadderFilter<float> ladder;
  ladder.setMode(dsp::LadderFilterMode::LPF24);
  ladder.setCutoffFrequencyHz(5000);
  ladder.setResonance(0.8f);
  prepare(ladder);
  NEAR(power(render(ladder, sine(200, 0.01, 48000))), -43.3, 0.1);
}

static void delays() {
  dsp::DelayLine<float> echo(9600);
  prepare(echo);
  echo.setDelay(4800);
  std::vector<float> out;
  for (int i = 0; i < 20000; i++) {
    const float y = echo.popSample(0);
    echo.pushSample(0, (i == 0 ? 1.0f : 0.0f) + 0.5f * y);
    out.push_back(y);
  }
  CHECK(out[4800] == 1 && out[9600] == 0.5f && out[14400] == 0.25f && out[4801] == 0);

  // A tap that does not advance, and another one that does.
  dsp::DelayLine<float, dsp::DelayLineInterpolationTypes::None> taps(100);
  prepare(taps);
  for (int i = 0; i < 50; i++) {
    taps.pushSample(0, float(i));
    CHECK(i < 20 || (taps.popSample(0, 3.7f, false) == float(i - 3) && taps.popSample(0, 10, false) == float(i - 10)));
    taps.popSample(0);
  }

  // A parabola is exact in the third order, and a ramp in the first one.
  dsp::DelayLine<float, dsp::DelayLineInterpolationTypes::Lagrange3rd> cubic(100);
  dsp::DelayLine<float, dsp::DelayLineInterpolationTypes::Linear> straight(100);
  prepare(cubic);
  prepare(straight);
  for (int i = 0; i < 60; i++) {
    const float x = float(i) / 60;
    cubic.pushSample(0, x * x * x);
    straight.pushSample(0, x);
    const float past = (float(i) - 10.3f) / 60, y = cubic.popSample(0, 10.3f), z = straight.popSample(0, 10.3f);
    if (i < 20) continue;
    NEAR(y, past * past * past, 1e-5);
    NEAR(z, past, 1e-5);
  }

  // An all pass keeps the level of high tones, which a linear interpolation of half a frame lowers by 9.6 dB.
  dsp::DelayLine<float, dsp::DelayLineInterpolationTypes::Thiran> allpass(100);
  prepare(allpass);
  allpass.setDelay(10.5f);
  NEAR(power(render(allpass, sine(19000, 0.5, 48000))), decibels(0.5), 0.05);
  prepare(straight);
  straight.setDelay(10.5f);
  NEAR(power(render(straight, sine(19000, 0.5, 48000))), decibels(0.5 * std::cos(pi * 19000 / rate)), 0.05);

  // A change of the mix takes 50 ms, in blocks of any length.
  dsp::DryWetMixer<float> mixer;
  mixer.setWetMixProportion(0);
  prepare(mixer);
  mixer.setWetMixProportion(1);
  Buffer ones(1, 500);
  for (int i = 0; i < 500; i++) ones.setSample(0, i, 1);
  for (int start = 0; start < 500; start += 100) mixer.pushDrySamples(dsp::AudioBlock<float>(ones).getSubBlock(size_t(start), 100));
  ones.clear();
  mixer.mixWetSamples(dsp::AudioBlock<float>(ones));
  NEAR(ones.getSample(0, 239), 0.9, 1e-3);
}

static void spaces() {
  dsp::Reverb reverb;
  prepare(reverb);
  const Buffer mono = render(reverb, impulse(4000));
  NEAR(mono.getSample(0, 0), 0.8, 1e-6);
  int first = 1;
  while (first < 3999 && mono.getSample(0, first) == 0) first++;
  CHECK(first == 1214);
  // The four all passes turn the sign of what passes directly four times.
  NEAR(mono.getSample(0, first), 0.015 * 0.33 * 3, 1e-6);
  juce::Reverb::Parameters narrow;
  narrow.width = 0;
  reverb.setParameters(narrow);
  prepare(reverb);
  NEAR(render(reverb, impulse(4000)).getSample(0, first), 0.015 * 0.33 * 3 / 2, 1e-6);
}

static void modulation() {
  // The oscillator starts downwards, so that the delay of a chorus is at first shorter.
  dsp::Chorus<float> chorus;
  chorus.setMix(1);
  chorus.setDepth(1);
  chorus.setRate(1);
  chorus.setCentreDelay(20);
  prepare(chorus);
  Buffer ramp(1, 12001);
  for (int i = 0; i < 12001; i++) ramp.setSample(0, i, float(i));
  NEAR(12000 - render(chorus, ramp).getSample(0, 12000), 480, 2);

  dsp::Phaser<float> phaser;
  phaser.setMix(1);
  phaser.setDepth(0);
  prepare(phaser);
  // Without a centre frequency, it is the middle of a logarithmic scale.
  const Buffer turned = render(phaser, sine(std::sqrt(20.0 * 20000), 0.5, 48000));
  NEAR(turned.getSample(0, 47000), -sine(std::sqrt(20.0 * 20000), 0.5, 48000).getSample(0, 47000), 0.01);

  dsp::Panner<float> panner;
  const dsp::PannerRule rules[] = {dsp::PannerRule::linear, dsp::PannerRule::balanced, dsp::PannerRule::sin3dB,
                                   dsp::PannerRule::sin4p5dB, dsp::PannerRule::sin6dB,
                                   dsp::PannerRule::squareRoot3dB, dsp::PannerRule::squareRoot4p5dB};
  const double right[] = {1.5, 1, 1.306563, 1.493466, 1.707107, 1.224745, 1.355403};
  for (size_t r = 0; r < 7; r++) {
    panner.setRule(rules[r]);
    panner.setPan(0.5f);
    prepare(panner, 2);
    Buffer both(2, 10);
    for (int i = 0; i < 10; i++) both.setSample(0, i, 1), both.setSample(1, i, 1);
    NEAR(render(panner, both).getSample(1, 9), right[r], 1e-5);
  }

  dsp::Oscillator<float> oscillator([](float x) { return x; }, 64);
  oscillator.setFrequency(480, true);
  prepare(oscillator);
  Buffer silence(1, 100);
  silence.clear();
  const Buffer saw = render(oscillator, silence);
  NEAR(saw.getSample(0, 0), -pi, 1e-5);
  NEAR(saw.getSample(0, 75), pi / 2, 1e-4);

  dsp::Gain<float> gain;
  prepare(gain);
  CHECK(render(gain, impulse(10)).getSample(0, 0) == 0);
  gain.setGainDecibels(-6.0206f);
  NEAR(render(gain, impulse(10)).getSample(0, 0), 0.5, 1e-5);

  dsp::Bias<float> bias;
  bias.setRampDurationSeconds(0.01);
  prepare(bias);
  bias.setBias(0.5f);
  Buffer none(1, 600);
  none.clear();
  NEAR(render(bias, none).getSample(0, 239), 0.25, 1e-4);
}

static void filters() {
  auto first = dsp::IIR::Coefficients<float>::makeFirstOrderLowPass(rate, 1000);
  CHECK(first->getFilterOrder() == 1 && first->coefficients.size() == 3);
  NEAR(first->getRawCoefficients()[2], (std::tan(pi / 48) - 1) / (std::tan(pi / 48) + 1), 1e-6);
  auto low = dsp::IIR::Coefficients<float>::makeLowPass(rate, 1000, 2);
  NEAR(low->getMagnitudeForFrequency(1000, rate), 2, 1e-3);
  NEAR(low->getPhaseForFrequency(1000, rate), -pi / 2, 1e-3);
  auto all = dsp::IIR::Coefficients<float>::makeAllPass(rate, 1000, 2);
  NEAR(all->getMagnitudeForFrequency(300, rate), 1, 1e-4);
  NEAR(std::abs(all->getPhaseForFrequency(1000, rate)), pi, 1e-2);
  auto band = dsp::IIR::Coefficients<float>::makeBandPass(rate, 1000, 4);
  NEAR(band->getMagnitudeForFrequency(1000, rate), 1, 1e-3);
  auto shelf = dsp::IIR::ArrayCoefficients<float>::makeHighShelf(rate, 1000, 0.7f, 2);
  NEAR(dsp::IIR::Coefficients<float>(shelf).getMagnitudeForFrequency(20000, rate), 2, 0.01);
  NEAR(dsp::IIR::Coefficients<float>::makeLowPass(rate, 23700)->getMagnitudeForFrequency(23700, rate), std::sqrt(0.5), 1e-3);

  // Filters without coefficients pass, and shared ones without them are silent.
  dsp::IIR::Filter<float> plain;
  prepare(plain);
  CHECK(render(plain, impulse(10)).getSample(0, 0) == 1);
  dsp::ProcessorDuplicator<dsp::IIR::Filter<float>, dsp::IIR::Coefficients<float>> shared;
  prepare(shared);
  CHECK(render(shared, impulse(10)).getSample(0, 0) == 0);

  dsp::LinkwitzRileyFilter<float> crossover;
  prepare(crossover);
  crossover.setCutoffFrequency(1000);
  float sum = 0, high = 0, a = 0, b = 0;
  for (int i = 0; i < 48000; i++) {
    crossover.processSample(0, float(std::sin(2 * pi * 1000 * i / rate)), a, b);
    if (i > 24000) sum = jmax(sum, std::abs(a + b)), high = jmax(high, std::abs(b));
  }
  NEAR(sum, 1, 0.01);
  NEAR(high, 0.5, 0.01);

  // A bypassed filter keeps its state.
  dsp::ProcessorChain<dsp::FirstOrderTPTFilter<float>> chain;
  prepare(chain);
  chain.setBypassed<0>(true);
  CHECK(render(chain, impulse(4)).getSample(0, 0) == 1);
  chain.setBypassed<0>(false);
  CHECK(render(chain, impulse(4, 0)).getSample(0, 0) == 0);
}

static void oversampling() {
  typedef dsp::Oversampling<float> Oversampling;
  const double latencies[] = {49, 59.5, 64.25};
  for (size_t factor = 1; factor <= 3; factor++) {
    Oversampling linear(1, factor, Oversampling::filterHalfBandFIREquiripple);
    NEAR(linear.getLatencyInSamples(), latencies[factor - 1], 1e-3);
  }
  for (auto type : {Oversampling::filterHalfBandFIREquiripple, Oversampling::filterHalfBandPolyphaseIIR})
    for (size_t factor = 1; factor <= 3; factor++) {
      Oversampling sampler(1, factor, type, true, true);
      sampler.initProcessing(48000);
      const int latency = roundToInt(sampler.getLatencyInSamples());
      NEAR(sampler.getLatencyInSamples(), latency, 1e-4);
      Buffer low = sine(500, 0.5, 48000), high = sine(20000, 0.5, 48000);
      const Buffer before = low;
      auto block = dsp::AudioBlock<float>(low);
      CHECK(sampler.processSamplesUp(block).getNumSamples() == size_t(48000) << factor);
      sampler.processSamplesDown(block);
      NEAR(low.getSample(0, 40010), before.getSample(0, 40010 - latency), 2e-3);
      sampler.reset();
      auto top = dsp::AudioBlock<float>(high);
      sampler.processSamplesUp(top);
      sampler.processSamplesDown(top);
      NEAR(power(high), decibels(0.5), 0.1);
    }
}

static void runChecks() {
  dynamics();
  delays();
  spaces();
  modulation();
  filters();
  oversampling();
}

AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Checks(); }
