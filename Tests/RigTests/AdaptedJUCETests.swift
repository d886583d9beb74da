// AdaptedJUCETests.swift: classes of JUCE that processors use. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

// One after another, so that tests of the same file compile it once.
@Suite(
  .serialized, .enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
struct AdaptedJUCETests {
  /// Compiles the fixtures; used by one test at a time.
  nonisolated(unsafe) private static let workshop = Result { try RigTestEnvironment() }

  private func effect(_ name: String, _ values: [Float] = []) throws -> PortedEffect {
    let workshop = try Self.workshop.get()
    let plugin = try workshop.library.find(Fixtures.path("Tests/Fixtures/adapted/\(name)"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(workshop.library.note(of: plugin) == nil)
    return try PortedEffect(workshop.library, plugin, values)
  }

  private func sine(_ hertz: Double, _ frames: Int = 19_200) -> [Float] {
    (0 ..< frames).map { Float(0.5 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
  }

  private func peak(_ samples: some Sequence<Float>) -> Float { samples.map(abs).max() ?? 0 }

  /// The amplitude of a frequency in samples.
  private func amplitude(of hertz: Double, in samples: ArraySlice<Float>) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (frame, sample) in samples.enumerated() {
      let angle = 2 * .pi * hertz * Double(frame) / 48_000
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  // MARK: - Synthesiser

  private func play(_ messages: [Int: [UInt8]], frames: Int) throws -> [Float] {
    let effect = try effect("juce_poly.cpp")
    let input = try #require(effect.node.eventInput)
    return render(effect.node, frames: frames, blocks: [240]) { start in
      for (frame, message) in messages.sorted(by: { $0.key < $1.key })
      where start ..< start + 240 ~= frame {
        var bytes = message
        input.function(input.context, UInt32(frame - start), &bytes, 3)
      }
    }[0]
  }

  @Test func `a synthesiser starts and ends voices at the frames of the notes`() throws {
    let sound = try play(
      [100: [0x90, 69, 127], 9_600: [0x90, 76, 127], 19_300: [0x80, 69, 0]], frames: 28_800)
    #expect(sound[..<100].allSatisfy { $0 == 0 } && sound[101] != 0)
    #expect(abs(amplitude(of: 440, in: sound[4_800 ..< 9_600]) - 0.25) < 0.002)
    let fifth = 440 * pow(2.0 as Double, 7 / 12)
    let both = sound[9_600 ..< 19_200]
    #expect(abs(amplitude(of: 440, in: both) - 0.25) < 0.01)
    #expect(abs(amplitude(of: fifth, in: both) - 0.25) < 0.01)
    let rest = sound[24_000 ..< 28_800]
    #expect(amplitude(of: 440, in: rest) < 0.005)
    #expect(abs(amplitude(of: fifth, in: rest) - 0.25) < 0.01)
  }

  @Test func `the pedal holds a note, and the wheel bends it`() throws {
    let sound = try play(
      [
        0: [0xb0, 64, 127], 10: [0x90, 69, 127], 480: [0x80, 69, 0], 9_600: [0xe0, 127, 127],
        19_200: [0xb0, 64, 0],
      ], frames: 24_000)
    #expect(abs(amplitude(of: 440, in: sound[4_800 ..< 9_600]) - 0.25) < 0.002)
    let bent = 440 * pow(2.0 as Double, 2 / 12)
    #expect(abs(amplitude(of: bent, in: sound[12_000 ..< 19_200]) - 0.25) < 0.01)
    #expect(sound[20_400...].allSatisfy { $0 == 0 })
  }

  @Test func `a note beyond the polyphony takes the voice of an older one`() throws {
    // Three voices: the lowest and the highest note stay.
    let notes: [UInt8] = [45, 57, 69, 64]
    var messages: [Int: [UInt8]] = [:]
    for (index, note) in notes.enumerated() { messages[index * 480] = [0x90, note, 127] }
    let sound = try play(messages, frames: 50_000)[2_000...]
    for (note, level) in zip(notes, [0.25, 0, 0.25, 0.25]) {
      let hertz = 440 * pow(2, Double(Int(note) - 69) / 12)
      #expect(abs(amplitude(of: hertz, in: sound) - level) < 0.01, "\(note)")
    }
  }

  // MARK: - Transforms and effects

  @Test func `a Fourier transform and its inverse restore the input`() throws {
    let effect = try effect("juce_spectral.cpp")
    #expect(effect.node.latencyFrames == 1_024)
    let input = portingSignal(channelCount: 2, frameCount: 9_600)
    let output = effect.render(input, block: 100)
    for (given, got) in zip(input, output) {
      let distance = zip(given, got.dropFirst(1_024)).dropFirst(1_024).map { abs($0 - $1) }
      #expect((distance.max() ?? 1) < 1e-4)
    }
    // Bins below the threshold are removed.
    effect.node.setParameter(0, to: -24)
    let mixed = zip(sine(3_000), sine(750)).map { $0 * 0.1 + $1 }
    let gated = effect.render([mixed, mixed], block: 100)[0].suffix(9_600)
    #expect(amplitude(of: 3_000, in: gated) < 0.001)
    #expect(abs(amplitude(of: 750, in: gated) - 0.5) < 0.01)
  }

  @Test func `a chorus without depth delays, and with it bends the pitch`() throws {
    let input = sine(1_000)
    let still = try effect("juce_modulation.cpp", [0, 0, 0]).render([input, input], block: 64)
    let late = [Float](repeating: 0, count: 480) + input.dropLast(480)
    #expect(peak(zip(still[1], late).dropFirst(4_800).map { $0 - $1 }) < 1e-3)
    let bent = try effect("juce_modulation.cpp", [0, 1, 0]).render([input, input], block: 64)
    #expect(amplitude(of: 1_000, in: bent[0].suffix(9_600)) < 0.4)
  }

  @Test func `a phaser alone keeps the level of a sine`() throws {
    let input = sine(1_000)
    let output = try effect("juce_modulation.cpp", [1, 0.5, 0]).render([input, input], block: 64)
    #expect(abs(peak(output[0].suffix(4_800)) - 0.5) < 0.01)
  }

  @Test func `a panner moves the signal, and a FIR filter removes high tones`() throws {
    let (low, high) = (sine(1_000), sine(12_000))
    let right = try effect("juce_modulation.cpp", [2, 0, 1]).render([low, low], block: 64)
    #expect(peak(right[0].suffix(4_800)) < 1e-3)
    #expect(abs(peak(right[1].suffix(4_800)) - 0.5 * Float(2).squareRoot()) < 0.01)
    let passed = try effect("juce_modulation.cpp", [3, 0, 0]).render([low, high], block: 64)
    #expect(abs(peak(passed[0].suffix(4_800)) - 0.5) < 0.01)
    #expect(peak(passed[1].suffix(4_800)) < 0.002)
  }

  @Test func `a tree stores values, children and listeners`() throws {
    let effect = try effect("juce_tree.cpp", [0.25])
    let input = sine(440)
    let quarter = input.map { $0 * 0.25 }
    #expect(effect.render([input, input], block: 100) == [quarter, quarter])
  }

  @Test(arguments: ["juce_dsp_checks.cpp", "juce_basic_checks.cpp"])
  func `classes compute the numbers of JUCE`(file: String) throws {
    let silence = [Float](repeating: 0, count: 100)
    let lines = try effect(file).render([silence, silence], block: 100)[0].filter { $0 != 0 }
    #expect(lines.isEmpty, "the checks in these lines of \(file) fail")
  }

  @Test func `groups of parameters, listeners, queues and shared filters work`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <JuceHeader.h>
      class Grouped : public AudioProcessor, public AudioProcessorParameter::Listener {
      public:
        Grouped() : state(*this, nullptr, "state", layout()) { state.getParameter("gain")->addListener(this); }
        static AudioProcessorValueTreeState::ParameterLayout layout() {
          AudioProcessorValueTreeState::ParameterLayout all;
          all.add(std::make_unique<AudioParameterBool>("on", "On", true));
          all.add(std::make_unique<AudioProcessorParameterGroup>(
              "amp", "Amplifier", "|", std::make_unique<AudioParameterFloat>("gain", "Gain", 0.0f, 2.0f, 1.0f),
              std::make_unique<AudioParameterInt>("order", "Order", 1, 4, 2)));
          return all;
        }
        void parameterValueChanged(int index, float share) override { last = float(index) * share; }
        void parameterGestureChanged(int, bool) override {}
        void prepareToPlay(double rate, int frames) override {
          filter.state->type = dsp::StateVariableFilter::Parameters<float>::Type::highPass;
          filter.state->setCutOffFrequency(rate, 10.0f);
          filter.prepare({rate, uint32(frames), 2});
        }
        void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
          // Through a queue, which wraps around.
          float *samples = buffer.getWritePointer(0);
          for (int i = 0; i < buffer.getNumSamples(); i++) {
            { fifo.write(1).forEach([&](int at) { memory[at] = samples[i] * last * 2; }); }
            { fifo.read(1).forEach([&](int at) { samples[i] = memory[at]; }); }
          }
          dsp::AudioBlock<float> block(buffer);
          auto right = block.getSubsetChannelBlock(1, 1);
          filter.process(dsp::ProcessContextReplacing<float>(right));
        }
        const String getName() const override { return "Grouped"; }
        AudioProcessorValueTreeState state;
        AbstractFifo fifo{7};
        float memory[7] = {}, last = 0;
        dsp::ProcessorDuplicator<dsp::StateVariableFilter::Filter<float>, dsp::StateVariableFilter::Parameters<float>> filter;
      };
      AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Grouped(); }
      """
    let plugin = try workshop.library.find(try workshop.write(source, as: "grouped.cpp"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(plugin.parameters.map(\.symbol) == ["on", "gain", "order"])
    let effect = try PortedEffect(workshop.library, plugin, [1, 0.5, 2])
    let input = sine(1_000)
    let output = effect.render([input, input.map { $0 + 0.25 }], block: 100)
    // The second parameter at a quarter of its range.
    #expect(output[0] == input.map { $0 * 0.25 * 2 })
    let rest = output[1].suffix(4_800).reduce(0, +) / 4_800
    #expect(abs(rest) < 0.001 && abs(peak(output[1].suffix(4_800)) - 0.5) < 0.01)
  }

  // MARK: - What is not supported

  /// The error message for a processor with this member.
  private func refusal(of member: String, head: String = "") throws -> String {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <JuceHeader.h>
      \(head)
      class Effect : public juce::AudioProcessor {
      public:
        void prepareToPlay(double, int) override {}
        void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override { buffer.clear(); }
        \(member)
      };
      juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Effect(); }
      """
    do {
      _ = try workshop.library.find(try workshop.write(source, as: "effect.cpp"))
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("juce::dsp::Convolution room;", "Convolution", "outboard.convolver"),
    ("dsp::Convolution room;", "Convolution", "outboard.convolver"),
    ("juce::AudioFormatManager formats;", "AudioFormatManager", "section Files"),
    ("juce::File file{\"a.wav\"};", "File", "section Files"),
    ("void *make() { return new juce::SamplerVoice(); }", "SamplerVoice", "outboard.sampler"),
    ("juce::AudioProcessorGraph graph;", "AudioProcessorGraph", "outboard help rigs"),
    ("struct Voice : juce::MPESynthesiserVoice {};", "MPESynthesiserVoice", "without MPE"),
    ("struct Worker : public juce::Thread {};", "Thread", "in prepareToPlay"),
    ("juce::SpecialThing thing;", "SpecialThing", "Remove it"),
  ])
  func `a class that is not supported is named with what to do`(
    member: String, name: String, advice: String
  ) throws {
    let refusal = try refusal(of: member)
    #expect(
      refusal.contains("effect.cpp:7: \(name) is not supported for JUCE sources."), "\(refusal)")
    #expect(refusal.contains(advice) && refusal.contains("outboard help porting/juce"))
    #expect(!refusal.contains("error:"), "\(refusal)")
  }

  @Test func `an error in the code is reported by the compiler`() throws {
    let refusal = try refusal(of: "int wrong = undeclared;")
    #expect(refusal.contains("error:") && refusal.contains("undeclared"), "\(refusal)")
    #expect(!refusal.contains("is not supported"))
  }
}
