// AdaptedHostTests.swift: what code for other hosts asks its host. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
struct AdaptedHostTests {
  private let ones = [Float](repeating: 1, count: 400)

  /// Writes files and returns an instance of the first one, or of its directory.
  private func effect(
    _ files: KeyValuePairs<String, String>, isDirectory: Bool = false, isRelative: Bool = false,
    _ values: [Float] = []
  ) throws -> (plugin: PluginDescription, effect: PortedEffect) {
    let workshop = try RigTestEnvironment()
    var path = ""
    for (name, text) in files {
      let written = try workshop.write(text, as: name)
      if path.isEmpty { path = written }
    }
    if isDirectory { path = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" }
    if isRelative {
      let depth = FileManager.default.currentDirectoryPath.count { $0 == "/" }
      path = String(repeating: "../", count: depth) + path.dropFirst()
    }
    let plugin = try workshop.library.find(path)
    #expect(workshop.library.preflightError(of: plugin) == nil)
    return (plugin, try PortedEffect(workshop.library, plugin, values))
  }

  // MARK: - VST2

  @Test func `VST2 code beside the main file of its SDK gets answers and the time`() throws {
    let clock = """
      #include "audioeffectx.h"
      class Clock : public AudioEffectX {
      public:
        Clock(audioMasterCallback master) : AudioEffectX(master, 0, 0) {
          setUniqueID(77);
          fits = master(0, audioMasterGetSampleRate, 0, 0, 0, 0) == 48000
            && master(0, DECLARE_VST_DEPRECATED(audioMasterWantMidi), 0, 1, 0, 0) == 0;
        }
        void processReplacing(float **, float **outputs, VstInt32 count) {
          char word[64] = "sendVstTimeInfo";
          AEffect *self = getAeffect();
          fits = fits && audioMaster(self, audioMasterVersion, 0, 0, 0, 0) == 2400
            && audioMaster(self, audioMasterCurrentId, 0, 0, 0, 0) == 77
            && audioMaster(self, audioMasterGetBlockSize, 0, 0, 0, 0) == getBlockSize()
            && audioMaster(self, audioMasterCanDo, 0, 0, word, 0) == 1 && canHostDo((char *)"fly") == 0
            && audioMaster(self, audioMasterGetProductString, 0, 0, word, 0) != 0 && *word == 'O';
          VstTimeInfo *time = getTimeInfo(kVstPpqPosValid | kVstTempoValid);
          fits = fits && time->tempo == 120 && time->timeSigNumerator == 4 && time->timeSigDenominator == 4
            && time->sampleRate == 48000 && time->ppqPos == time->samplePos / 24000
            && (VstTimeInfo *)audioMaster(self, audioMasterGetTime, 0, 0, 0, 0) == time;
          for (VstInt32 i = 0; i < count; i++) {
            outputs[0][i] = float(time->samplePos) + float(i);
            outputs[1][i] = fits ? 1 : 0;
          }
        }
        bool fits;
      };
      AudioEffect *createEffectInstance(audioMasterCallback master) { return new Clock(master); }
      """
    let main = """
      #ifndef __audioeffect__
      #include "audioeffect.h"
      #endif
      extern AudioEffect *createEffectInstance(audioMasterCallback audioMaster);
      extern "C" {
      __attribute__((visibility("default"))) AEffect *VSTPluginMain(audioMasterCallback audioMaster) {
        if (!audioMaster(0, audioMasterVersion, 0, 0, 0, 0)) return 0;
        AudioEffect *effect = createEffectInstance(audioMaster);
        return effect ? effect->getAeffect() : 0;
      }
      __attribute__((visibility("default"))) AEffect *main_plugin(audioMasterCallback audioMaster) asm("main");
      AEffect *main_plugin(audioMasterCallback audioMaster) { return VSTPluginMain(audioMaster); }
      }
      """
    let (_, effect) = try effect(
      ["clock/clock.cpp": clock, "clock/vstplugmain.cpp": main], isDirectory: true)
    for _ in 0 ..< 2 {
      let output = effect.render([ones, ones], block: 100)
      #expect(output == [(0 ..< 400).map(Float.init), ones])
      effect.node.reset()
    }
  }

  // MARK: - Audio Units

  @Test func `an Audio Unit gets the beat and the tempo`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/au.h>
      class Beats : public AUEffectBase {
      public:
        Beats(AudioUnit component) : AUEffectBase(component) { CreateElements(); }
        OSStatus ProcessBufferLists(AudioUnitRenderActionFlags &, const AudioBufferList &,
                                    AudioBufferList &out, UInt32 frames) override {
          Float64 beat = 0, tempo = 0, frame = 0, bar = 1;
          Float32 numerator = 0;
          UInt32 rest = 0, denominator = 0;
          Boolean plays = false;
          const bool fits = CallHostBeatAndTempo(&beat, &tempo) == noErr && tempo == 120
            && CallHostMusicalTimeLocation(&rest, &numerator, &denominator, &bar) == noErr && bar == 0
            && CallHostTransportState(&plays, nullptr, &frame, nullptr, nullptr, nullptr) == noErr;
          for (UInt32 i = 0; i < frames; i++) {
            ((Float32 *)out.mBuffers[0].mData)[i] = Float32(beat * 24000 + i);
            ((Float32 *)out.mBuffers[1].mData)[i] = fits && frame == beat * 24000 && numerator == 4 ? 1 : 0;
          }
          return noErr;
        }
      };
      OUTBOARD_AU_EFFECT(Beats, 2, 0)
      """
    let (_, effect) = try effect(["beats.cpp": source])
    #expect(effect.render([ones, ones], block: 100) == [(0 ..< 400).map(Float.init), ones])
  }

  // MARK: - JUCE

  @Test func `a side chain of JUCE is a group of inputs, disabled until something arrives`() throws
  {
    let source = """
      #include <JuceHeader.h>
      class Ducker : public AudioProcessor {
      public:
        Ducker() : AudioProcessor(BusesProperties().withInput("Input", AudioChannelSet::stereo())
                                    .withInput("Sidechain", AudioChannelSet::mono(), true)
                                    .withOutput("Output", AudioChannelSet::stereo())) {}
        void prepareToPlay(double, int) override {
          knows = getTotalNumInputChannels() == 3 && getMainBusNumInputChannels() == 2
            && getBusesLayout().getMainOutputChannelSet() == AudioChannelSet::stereo()
            && getBus(true, 1)->isEnabled() && getBus(true, 2) == nullptr && getBusCount(true) == 2;
        }
        void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
          auto main = getBusBuffer(buffer, true, 0), key = getBusBuffer(buffer, true, 1);
          if (!knows || buffer.getNumChannels() != 3) return buffer.clear();
          // Code that does not check whether the bus is there reads silence.
          const float *level = key.getReadPointer(0);
          for (int c = 0; c < main.getNumChannels(); c++)
            for (int i = 0; i < main.getNumSamples(); i++)
              main.getWritePointer(c)[i] *= (key.getNumChannels() == 0 ? 0.5f : 1.0f) - level[i];
        }
        bool knows = false;
      };
      AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Ducker(); }
      """
    let (plugin, effect) = try effect(["ducker.cpp": source])
    #expect(plugin.audioInputs.map(\.name) == ["Left", "Right", "Sidechain"])
    #expect(plugin.audioInputs.map(\.group) == ["main", "main", "sidechain"])
    #expect(plugin.audioOutputs.map(\.group) == ["main", "main"])
    let silence = ones.map { _ in Float(0) }
    let half = ones.map { $0 * 0.5 }
    let quarter = ones.map { $0 * 0.25 }
    #expect(effect.render([ones, half, silence], block: 100) == [half, quarter])
    let third = ones.map { $0 * 0.75 }
    #expect(effect.render([ones, ones, quarter], block: 100) == [third, third])
    #expect(effect.render([ones, half, silence], block: 100) == [ones, half])
    effect.node.reset()
    #expect(effect.render([ones, half, silence], block: 100) == [half, quarter])
  }

  @Test func `the play head of JUCE counts frames and does not know the tempo`() throws {
    let source = """
      #include <JuceHeader.h>
      class Clock : public AudioProcessor {
      public:
        void prepareToPlay(double, int) override {}
        void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
          AudioPlayHead::CurrentPositionInfo info;
          auto position = getPlayHead()->getPosition();
          const bool fits = getPlayHead()->getCurrentPosition(info) && position.hasValue()
            && !position->getBpm().hasValue() && position->getBpm().orFallback(90) == 90
            && *position->getBpm() == 120 && info.bpm == 120 && info.timeInSamples == *position->getTimeInSamples();
          for (int i = 0; i < buffer.getNumSamples(); i++) {
            buffer.setSample(0, i, float(*position->getTimeInSamples() + i));
            buffer.setSample(1, i, fits ? 1.0f : 0.0f);
          }
        }
      };
      AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new Clock(); }
      """
    let (_, effect) = try effect(["clock.cpp": source])
    #expect(effect.render([ones, ones], block: 100) == [(0 ..< 400).map(Float.init), ones])
  }

  // MARK: - Faust

  @Test func `a class of the Faust compiler needs no line`() throws {
    let text = try String(
      contentsOfFile: Fixtures.path("Tests/Fixtures/adapted/faust_menu.cpp"), encoding: .utf8)
    let (plugin, effect) = try effect(["menu.cpp": text], isRelative: true, [0, 1, 2])
    #expect(plugin.audioInputs.count == 1 && plugin.audioOutputs.count == 1)
    #expect(plugin.parameters.map(\.symbol) == ["time", "invert", "order"])
    #expect(plugin.parameters[0].choices.map(\.name) == ["Short", "Long"])
    #expect(plugin.parameters.map(\.defaultValue) == [1, 0, 3])
    #expect(plugin.parameters.map(\.scale) == [.integer, .toggle, .integer])
    #expect(plugin.readouts.map(\.symbol) == ["shown"] && plugin.readouts[0].unit == "ms")
    #expect(abs(effect.render([ones], block: 100)[0][399] + 0.24 * 2) < 1e-6)
    effect.node.setParameter(0, to: 1)
    #expect(abs(effect.render([ones], block: 100)[0][399] + 0.48 * 2) < 1e-6)
  }

  @Test func `an error in a class of Faust names the line of its file`() throws {
    let text = try String(
      contentsOfFile: Fixtures.path("Tests/Fixtures/adapted/faust_menu.cpp"), encoding: .utf8)
    let broken = text.replacingOccurrences(of: "float fSlow0 =", with: "float fSlow0 = missing +")
    let error = #expect(throws: (any Error).self) { try effect(["menu.cpp": broken]) }
    #expect("\(String(describing: error))".contains("menu.cpp:"))
  }
}
