// juce_basic_checks.cpp: numbers of buffers, messages, parameters and envelopes of JUCE. SPDX-License-Identifier: MIT

#include "juce_checks.h"

#include <numeric>

static void buffers() {
  AudioBuffer<float> buffer(2, 64);
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < 64; i++) buffer.setSample(c, i, float(100 * c + i));
  buffer.setSize(2, 4096, true, true);
  CHECK(buffer.getSample(0, 63) == 63 && buffer.getSample(1, 63) == 163 && buffer.getSample(1, 64) == 0);
  buffer.setSize(1, 32, true);
  CHECK(buffer.getNumChannels() == 1 && buffer.getSample(0, 31) == 31);
  buffer.setSize(3, 48, true, true, true);
  CHECK(buffer.getSample(0, 31) == 31 && buffer.getSample(0, 40) == 0 && buffer.getSample(1, 10) == 0);
  buffer.setSize(2, 16, false, true);
  CHECK(buffer.getMagnitude(0, 16) == 0);

  float samples[8] = {1, 2, 3, 4};
  float *rows[] = {samples};
  AudioBuffer<float> view(rows, 1, 2, 4);
  AudioBuffer<float> same = view;
  same.setSample(0, 0, 7);
  CHECK(samples[2] == 7);
  view.setSize(1, 6, true, true);
  CHECK(view.getSample(0, 0) == 7 && view.getSample(0, 5) == 0);
  view.setSample(0, 0, 9);
  CHECK(samples[2] == 7);
}

static void messages() {
  MidiBuffer buffer;
  buffer.addEvent(MidiMessage::noteOn(1, 60, 0.5f), 40);
  buffer.addEvent(MidiMessage::noteOn(1, 61, 1.0f), 10);
  buffer.addEvent(MidiMessage::noteOff(1, 60), 40);
  buffer.addEvent(MidiMessage::controllerEvent(1, 7, 100), 10);
  int frames[4], count = 0;
  for (const auto event : buffer) {
    CHECK(event.data[0] == event.getMessage().getRawData()[0]);
    frames[count++] = event.samplePosition;
  }
  CHECK(count == 4 && frames[0] == 10 && frames[1] == 10 && frames[2] == 40 && frames[3] == 40);
  CHECK(buffer.begin()[0].getMessage().getNoteNumber() == 61 && buffer.begin()[1].getMessage().isController());
  CHECK(buffer.begin()[2].getMessage().isNoteOn() && buffer.begin()[2].getMessage().getVelocity() == 64);
  buffer.clear(10, 1);
  CHECK(buffer.getNumEvents() == 2 && buffer.getFirstEventTime() == 40 && buffer.begin()->data[1] == 60);

  MidiKeyboardState keys;
  keys.noteOn(2, 64, 1);
  keys.noteOn(3, 64, 1);
  MidiBuffer block;
  keys.processNextMidiBuffer(block, 0, 100, true);
  CHECK(block.getNumEvents() == 2 && keys.isNoteOn(2, 64) && keys.isNoteOnForChannels(0xffff, 64));
  keys.allNotesOff(2);
  CHECK(!keys.isNoteOn(2, 64) && keys.isNoteOn(3, 64));
}

static void parameters() {
  AudioParameterFloat hertz("hz", "Hz", NormalisableRange<float>(20, 20000, 0, 0.25f), 1000);
  AudioProcessorParameter &base = hertz;
  NEAR(base.getValue(), 0.4706, 1e-4);
  NEAR(base.getDefaultValue(), 0.4706, 1e-4);
  NEAR(base.convertFrom0to1(0.5f), 1268.75, 1e-2);
  NEAR(base.convertTo0to1(1268.75f), 0.5, 1e-5);
  base.setValueNotifyingHost(1);
  CHECK(hertz.get() == 20000);

  AudioParameterFloat bits("bits", "Bits", NormalisableRange<float>(1, 16, 0.5f), 8);
  bits.take(3.3f);
  CHECK(bits == 3.5f);
  bits = 4.1f;
  CHECK(bits == 4.0f);
  bits.take(99);
  AudioParameterFloat steps("steps", "Steps", NormalisableRange<float>(0, 8, 1), 2);
  CHECK(String(steps.describe().scale) == "integer" && bits.describe().scale == nullptr);
  CHECK(bits == 16.0f && bits.getNumSteps() == 31);
  AudioParameterFloat fine("fine", "Fine", 0.0f, 1.0f, 0.5f);
  fine.take(0.3333f);
  NEAR(fine.get(), 0.33, 1e-6);
  NormalisableRange<float> own(
      0, 10, [](float a, float b, float x) { return a + (b - a) * x * x; },
      [](float a, float b, float x) { return std::sqrt((x - a) / (b - a)); },
      [](float, float, float x) { return std::round(x); });
  AudioParameterFloat bent("bent", "Bent", own, 5);
  CHECK(bent.convertFrom0to1(0.5f) == 3 && bent.convertTo0to1(10) == 1);

  AudioParameterBool on("on", "On", false);
  AudioParameterInt order("order", "Order", 1, 4, 2);
  AudioParameterChoice mode("mode", "Mode", {"A", "B", "C"}, 0);
  AudioParameterBool *a = &on;
  AudioParameterInt *b = &order;
  AudioParameterChoice *c = &mode;
  *a = true;
  *b = 3;
  *c = 1;
  CHECK(on.get() && order.get() == 3 && mode.getIndex() == 1 && mode.getCurrentChoiceName() == "B");
  order.take(2.6f);
  CHECK(order == 3 && order.getRange().getEnd() == 4);
  mode.setValueNotifyingHost(1);
  CHECK(mode == 2);

  Atomic<int> count(3);
  Atomic<int> same = count;
  same += 2;
  CHECK(++count == 4 && same.get() == 5 && same.compareAndSetBool(7, 5) && same.exchange(1) == 7);

  HashMap<String, int> map;
  map.set("one", 1);
  map.set("two", 2);
  map.set("one", 11);
  int sum = 0;
  for (HashMap<String, int>::Iterator i(map); i.next();) sum += i.getValue();
  for (const auto &one : map) sum += one.getKey().length();
  map.remove("two");
  CHECK(sum == 19 && map["one"] == 11 && map["three"] == 0 && map.size() == 1 && map.contains("one") && !map.containsValue(2));
}

static void values() {
  SmoothedValue<float> ramp(0.0f);
  ramp.reset(10);
  ramp.setTargetValue(1);
  NEAR(ramp.getNextValue(), 0.1, 1e-6);
  NEAR(ramp.skip(4), 0.5, 1e-6);
  ramp.setValue(3, true);
  CHECK(ramp.getNextValue() == 3 && !ramp.isSmoothing());
  SmoothedValue<float, ValueSmoothingTypes::Multiplicative> octave(440.0f);
  octave.reset(12);
  octave.setTargetValue(880);
  NEAR(octave.skip(6), 440 * std::sqrt(2.0), 0.01);

  ADSR envelope;
  envelope.setSampleRate(1000);
  envelope.setParameters({0, 0.1f, 0.5f, 0.2f});
  envelope.noteOn();
  NEAR(envelope.getNextSample(), 0.995, 1e-6);
  for (int i = 0; i < 150; i++) envelope.getNextSample();
  NEAR(envelope.getNextSample(), 0.5, 1e-6);
  envelope.noteOff();
  NEAR(envelope.getNextSample(), 0.4975, 1e-6);
  envelope.setParameters({0, 0.1f, 0.5f, 0});
  CHECK(!envelope.isActive());

  dsp::LookupTableTransform<float> table([](float x) { return x * x; }, -1, 1, 5);
  NEAR(table(0.25f), 0.125, 1e-6);
  CHECK(table(3) == 1);
  NEAR(dsp::FastMathApproximations::sin(2.0), std::sin(2.0), 1e-5);
  NEAR(dsp::FastMathApproximations::cos(2.0), std::cos(2.0), 1e-5);
  NEAR(dsp::FastMathApproximations::exp(-3.0), std::exp(-3.0), 1e-3);
  NEAR(dsp::FastMathApproximations::tanh(8.0), 1.0027, 1e-3);

  Random random(1);
  CHECK(random.nextInt() == 384748 && random.nextInt(Range<int>(5, 6)) == 5);
  NEAR(Decibels::gainToDecibels(0.5f), -6.0206, 1e-4);
  CHECK(Decibels::decibelsToGain(-100.0f) == 0);
}

static void spectra() {
  dsp::FFT transform(6);
  float data[128] = {};
  for (int i = 0; i < 64; i++) data[i] = std::cos(float(2 * MathConstants<double>::pi * 4 * i / 64));
  transform.performRealOnlyForwardTransform(data);
  NEAR(data[8], 32, 1e-4);
  NEAR(data[120], 32, 1e-4);
  transform.performRealOnlyInverseTransform(data);
  NEAR(data[16], 1, 1e-5);
  transform.performFrequencyOnlyForwardTransform(data, true);
  NEAR(data[4], 32, 1e-4);
  CHECK(data[60] == 0);
  float window[64];
  dsp::WindowingFunction<float>::fillWindowingTables(window, 64, dsp::WindowingFunction<float>::hann, true);
  NEAR(std::accumulate(window, window + 64, 0.0), 64, 1e-3);
  auto taps = dsp::FilterDesign<float>::designFIRLowpassWindowMethod(6000, 48000, 20, dsp::WindowingFunction<float>::hamming);
  NEAR(taps->getRawCoefficients()[10], 0.25, 1e-6);
  dsp::FIR::Filter<float> silent;
  CHECK(silent.processSample(1) == 0);
}

static void blocks() {
  AudioBuffer<float> buffer(2, 8);
  buffer.clear();
  HeapBlock<char> heap;
  dsp::AudioBlock<float> made(heap, 2, 8);
  made.fill(0.5f);
  dsp::AudioBlock<const float> reads = made;
  dsp::AudioBlock<float> block(buffer);
  block.copyFrom(reads).add(made).subtract(buffer).add(reads);
  CHECK(buffer.getSample(1, 7) == 0.5f);
  SmoothedValue<float> gain(1.0f);
  gain.reset(8);
  gain.setTargetValue(0);
  block *= gain;
  NEAR(buffer.getSample(1, 3), 0.25, 1e-6);
  dsp::ProcessContextNonReplacing<float> context(reads, block);
  dsp::Gain<float> twice;
  twice.setGainLinear(2);
  twice.process(context);
  CHECK(buffer.getSample(0, 7) == 1);

  // The filters from before juce::dsp pass until they have coefficients.
  IIRFilter filter;
  filter.processSamples(buffer.getWritePointer(0), 8);
  CHECK(buffer.getSample(0, 0) == 1);
  filter.setCoefficients(IIRCoefficients(2, 0, 0, 4, 0, 0));
  filter.processSamples(buffer.getWritePointer(0), 8);
  CHECK(buffer.getSample(0, 0) == 0.5f);
}

static void runChecks() {
  blocks();
  buffers();
  messages();
  parameters();
  values();
  spectra();
}

AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Checks(); }
