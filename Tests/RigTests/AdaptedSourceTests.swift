// AdaptedSourceTests.swift: code for other hosts that needs no changes. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
struct AdaptedSourceTests {
  private static let directory = "Tests/Fixtures/adapted"

  /// Copies a fixture to a separate directory, in which a test may change it.
  private func copy(_ names: [String], in workshop: RigTestEnvironment) throws -> String {
    for name in names {
      let text = try String(
        contentsOfFile: Fixtures.path("\(Self.directory)/\(name)"), encoding: .utf8)
      try workshop.write(text, as: name)
    }
    return "\(workshop.path)/\(names[0])"
  }

  private func effect(
    _ names: String..., symbols: [String], values: [Float] = []
  ) throws -> (plugin: PluginDescription, effect: PortedEffect) {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(try copy(names, in: workshop))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(plugin.parameters.map(\.symbol) == symbols)
    return (plugin, try PortedEffect(workshop.library, plugin, values))
  }

  private func sine(_ hz: Double, _ frames: Int = 9_600) -> [Float] {
    (0 ..< frames).map { Float(0.1 * sin(2 * .pi * hz * Double($0) / 48_000)) }
  }

  /// The highest level of the second half relative to that of the sine, in dB.
  private func gain(_ output: [Float]) -> Double {
    20 * log10(Double(output.suffix(output.count / 2).map(abs).max() ?? 0) / 0.1)
  }

  @Test func `a VST2 effect in two files runs through its factory, with its own parameters`() throws
  {
    let (plugin, effect) = try effect(
      "vst2_delay.cpp", "vst2_delay.h", symbols: ["delay", "feedback", "fx_mix"])
    #expect(plugin.parameters.map(\.defaultValue) == [0.5, 0.25, 0.5])
    #expect(plugin.audioInputs.count == 2 && plugin.audioOutputs.count == 2)
    var impulse = [Float](repeating: 0, count: 9_600)
    impulse[0] = 1
    let output = effect.render([impulse, impulse], block: 100)
    let delay = Int(32_766 * 0.5 * 0.5)
    #expect(output[0][0] == 1)
    #expect(abs(output[0][delay] - 0.5) < 1e-6, "\(output[0][delay])")
    #expect(output[0].enumerated().allSatisfy { $0 == 0 || $0 == delay || $1 == 0 })
  }

  @Test func `a VST2 effect of an early version runs`() throws {
    let (_, effect) = try effect("vst2_old.cpp", symbols: ["gain"], values: [0.25])
    let input = sine(440)
    #expect(
      effect.render([input, input], block: 64) == [
        input.map { $0 * 0.25 }, input.map { $0 * 0.25 },
      ])
  }

  @Test func `a VST2 instrument with programs and chunks begins with the program that it sets`()
    throws
  {
    let (plugin, effect) = try effect("vst2_programs.cpp", symbols: ["level", "tone"])
    #expect(plugin.audioInputs.isEmpty && plugin.audioOutputs.count == 2 && plugin.acceptsMIDI)
    #expect(plugin.parameters.map(\.defaultValue) == [0.5, 1])
    let input = try #require(effect.node.eventInput)
    var note: [UInt8] = [0x90, 69, 127]
    input.function(input.context, 0, &note, 3)
    let output = render(effect.node, frames: 4_800, blocks: [256])[1]
    #expect(abs((output.max() ?? 0) - 0.5) < 0.01 && abs((output.min() ?? 0) + 0.5) < 0.01)
  }

  @Test func `a LADSPA plugin in C runs through its descriptor, which its _init creates`() throws {
    let (plugin, effect) = try effect(
      "ladspa_tremolo.c", symbols: ["lfo_frequency", "depth", "gain"], values: [5, 0, -6.0206])
    #expect(plugin.parameters.map(\.unit) == ["Hz", "", "dB"])
    #expect(plugin.parameters[0].scale == .logarithmic)
    #expect(plugin.audioInputs.count == 1 && plugin.audioOutputs.count == 1)
    #expect(abs(gain(effect.render([sine(440)], block: 100)[0]) + 6.02) < 0.05)
  }

  @Test func `a LADSPA plugin in C++ runs through its descriptor`() throws {
    let (plugin, effect) = try effect("ladspa_pan.cpp", symbols: ["position"], values: [0.25])
    #expect(plugin.audioInputs.count == 1 && plugin.audioOutputs.count == 2)
    let input = sine(440)
    #expect(
      effect.render([input], block: 100) == [input.map { $0 * 0.75 }, input.map { $0 * 0.25 }])
  }

  @Test func `an Audio Unit runs through the entry of its component`() throws {
    let (plugin, effect) = try effect(
      "TremoloUnit.cpp", symbols: ["frequency", "depth"], values: [2, 0])
    #expect(plugin.parameters.map(\.unit) == ["Hz", "%"])
    #expect(plugin.parameters.map(\.defaultValue) == [2, 50])
    let input = sine(440)
    #expect(effect.render([input, input], block: 100) == [input, input])
  }

  @Test func `labels of an Audio Unit's values are choices`() throws {
    let (plugin, effect) = try effect(
      "FilterUnit.cpp", symbols: ["type", "cutoff", "order", "mode"], values: [0, 1_000, 2, 0])
    #expect(plugin.parameters[0].choices.map(\.name) == ["Low-pass", "High-pass"])
    #expect(plugin.parameters[2].choices.map(\.name) == ["6 dB", "12 dB"])
    #expect(plugin.parameters[2].choices.map(\.value) == [1, 2])
    #expect(plugin.parameters[2].defaultValue == 1)
    #expect(plugin.parameters[3].choices.isEmpty && plugin.parameters[3].maximum == 3)
    let output = effect.render([sine(8_000), sine(8_000)], block: 100)[0]
    #expect(gain(output) < -24)
    effect.node.setParameter(0, to: 1)
    #expect(gain(effect.render([sine(8_000), sine(8_000)], block: 100)[0]) > -2)
  }

  @Test func `a JUCE 5 processor without a namespace runs through its factory`() throws {
    let (plugin, effect) = try effect("juce_gain.cpp", symbols: ["gain", "mode"], values: [6, 0])
    #expect(plugin.parameters[0].unit == "dB" && plugin.parameters[0].minimum == -48)
    #expect(plugin.parameters[1].defaultValue == 1)
    #expect(abs(gain(effect.render([sine(1_000), sine(1_000)], block: 100)[0]) - 6) < 0.1)
  }

  @Test func `a JUCE processor whose editor does not compile runs`() throws {
    let (plugin, effect) = try effect(
      "juce_equaliser/PluginProcessor.cpp", "juce_equaliser/PluginProcessor.h",
      "juce_equaliser/PluginEditor.h", "juce_equaliser/PluginEditor.cpp",
      symbols: ["cut", "band", "gain", "quality", "slope"], values: [20, 1_000, 12, 1, 1])
    #expect(plugin.parameters[4].choices.map(\.name) == ["12 dB/Oct", "24 dB/Oct"])
    #expect(abs(gain(effect.render([sine(1_000), sine(1_000)], block: 100)[1]) - 12) < 0.2)
    effect.node.setParameter(2, to: 0)
    effect.node.setParameter(0, to: 4_000)
    // Two octaves below a high-pass with 24 dB an octave.
    #expect(abs(gain(effect.render([sine(1_000), sine(1_000)], block: 100)[0]) + 48) < 1)
  }

  @Test func `a directory of JUCE code runs without its windows`() throws {
    let workshop = try RigTestEnvironment()
    for name in ["PluginProcessor.cpp", "PluginProcessor.h", "PluginEditor.h", "PluginEditor.cpp"] {
      _ = try copy(["juce_equaliser/\(name)"], in: workshop)
    }
    let plugin = try workshop.library.find(workshop.path + "/juce_equaliser/")
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(plugin.parameters.count == 5)
  }

  @Test func `a JUCE saturator with shapers, filters and mixers runs`() throws {
    let (plugin, effect) = try effect(
      "juce_saturator.cpp", symbols: ["drive", "tone", "mix", "kind"], values: [6, 20_000, 1, 1])
    #expect(plugin.parameters[3].choices.map(\.name) == ["Tanh", "Clip", "Sine"])
    #expect(abs(gain(effect.render([sine(500), sine(500)], block: 64)[0]) - 6) < 0.1)
    effect.node.setParameter(1, to: 500)
    // At its corner frequency a filter of that quality attenuates by 3 dB.
    #expect(abs(gain(effect.render([sine(500), sine(500)], block: 64)[0]) - 3) < 0.2)
    effect.node.setParameter(2, to: 0)
    #expect(abs(gain(effect.render([sine(500), sine(500)], block: 64)[0])) < 0.01)
  }

  @Test func `a JUCE instrument takes MIDI and has no input`() throws {
    let (plugin, effect) = try effect("juce_synth.cpp", symbols: ["level"], values: [1])
    #expect(plugin.audioInputs.isEmpty && plugin.audioOutputs.count == 2)
    #expect(plugin.acceptsMIDI)
    let input = try #require(effect.node.eventInput)
    var note: [UInt8] = [0x90, 69, 127]
    input.function(input.context, 100, &note, 3)
    let output = render(effect.node, frames: 4_800, blocks: [256])[0]
    #expect(output[..<100].allSatisfy { $0 == 0 })
    #expect(abs((output.suffix(2_400).max() ?? 0) - 1) < 0.01)
  }

  @Test func `code with its own porting lines is not adapted`() throws {
    let workshop = try RigTestEnvironment()
    let text = try String(
      contentsOfFile: Fixtures.path("\(Self.directory)/vst2_old.cpp"), encoding: .utf8)
    let port =
      "#define OUTBOARD_VST2_LONG\n"
      + text.replacing("#include", with: "#include <outboard/vst2.h>\n#include")
      + "\nOUTBOARD_VST2_FACTORY\n"
    let plugin = try workshop.library.find(try workshop.write(port, as: "port.cpp"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(plugin.parameters.map(\.symbol) == ["gain"])
  }

  @Test func `a directory with its own process function is not adapted`() throws {
    let workshop = try RigTestEnvironment()
    let text = try String(
      contentsOfFile: Fixtures.path("\(Self.directory)/vst2_old.cpp"), encoding: .utf8)
    _ = try workshop.write("#define OUTBOARD_VST2_LONG\n" + text, as: "both/theirs.cpp")
    _ = try workshop.write(
      """
      // outboard: inputs: 1, outputs: 1
      extern "C" void process(void *, const float *const *in, float *const *out, const float *, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = in[0][i];
      }
      """, as: "both/mine.cpp")
    let plugin = try workshop.library.find(workshop.path + "/both/")
    #expect(workshop.library.preflightError(of: plugin) == nil)
    #expect(plugin.audioInputs.count == 1)
  }

  // MARK: - The vocabulary of JUCE

  @Test func `texts, lists and ranges have the meaning of JUCE`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <JuceHeader.h>
      static bool works() {
        StringArray names ("one", "two");
        names.add ("three");
        Array<int> numbers { 3, 1, 2 };
        numbers.sort();
        NormalisableRange<float> range (20.0f, 20000.0f);
        range.setSkewForCentre (1000.0f);
        OwnedArray<String> owned;
        owned.add (new String ("x"));
        return names.size() == 3 && names.indexOf ("two") == 1 && names.indexOf ("four") == -1
          && names[7].isEmpty() && names.joinIntoString ("+") == "one+two+three"
          && String ("-6.5 dB").removeCharacters (" dB") == "-6.5" && String (2.345, 1) == "2.3"
          && String ("a,b").replace (",", "--") == "a--b" && String (" x ").trim() == "x"
          && String ("Gain (dB)").upToFirstOccurrenceOf (" (", false, false) == "Gain"
          && numbers[0] == 1 && numbers.getLast() == 3 && numbers[9] == 0 && numbers.indexOf (2) == 1
          && std::abs (range.convertFrom0to1 (0.5f) - 1000.0f) < 1.0f
          && std::abs (range.convertTo0to1 (1000.0f) - 0.5f) < 1e-4f
          && range.convertFrom0to1 (1.0f) == 20000.0f && range.snapToLegalValue (5.0f) == 20.0f
          && jmap (0.5f, 0.0f, 10.0f) == 5.0f && jlimit (0, 3, 7) == 3 && jmax (1, 5, 2) == 5
          && std::abs (Decibels::decibelsToGain (-6.0206f) - 0.5f) < 1e-4f
          && Decibels::gainToDecibels (0.0f) == -100.0f && roundToInt (2.6) == 3
          && owned.size() == 1 && *owned[0] == "x" && nextPowerOfTwo (33) == 64;
      }
      class Words : public AudioProcessor {
      public:
        void prepareToPlay (double, int) override { gain = works() ? 1.0f : 0.0f; }
        void processBlock (AudioBuffer<float>& buffer, MidiBuffer&) override { buffer.applyGain (gain); }
        float gain = 0;
      };
      AudioProcessor* JUCE_CALLTYPE createPluginFilter() { return new Words(); }
      """
    let plugin = try workshop.library.find(try workshop.write(source, as: "words.cpp"))
    let effect = try PortedEffect(workshop.library, plugin, [])
    let input = sine(440)
    #expect(effect.render([input, input], block: 100) == [input, input])
  }
}
