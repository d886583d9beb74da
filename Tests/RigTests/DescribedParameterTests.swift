// DescribedParameterTests.swift: ported code that declares its names and ranges. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct DescribedParameterTests {
  /// A port of the guide without its manifest comment.
  private func bare(_ name: String, _ changes: [(String, String)] = []) throws -> String {
    let text = try String(
      contentsOfFile: Fixtures.path("Tests/Fixtures/porting/\(name)"), encoding: .utf8)
    let comment = text.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("//") }.joined(separator: "\n")
    return changes.reduce(comment) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  private func words(_ plugin: PluginDescription) -> [String] {
    plugin.parameters.map {
      "\($0.symbol) \($0.name) \($0.unit) \($0.minimum) \($0.defaultValue) \($0.maximum)"
    }
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `a VST2 effect describes names and defaults`() throws {
    let names = """
      float getParameter(VstInt32 index) { return index == kMix ? 0.25f : 0.75f; }
        void getParameterName(VstInt32 index, char *text) { strcpy(text, index == kMix ? "Dry/Wet" : "2 Tap \\"x\\""); }
      """
    let workshop = try RigTestEnvironment()
    let source = try bare(
      "vst2.cpp",
      [
        (
          "float getParameter(VstInt32 index) { return index == kMix ? mix : feedback / 0.9f; }",
          names
        )
      ])
    let plugin = try workshop.library.find(workshop.write(source, as: "slap.cpp"))
    #expect(
      words(plugin) == [
        "p1_2_tap_x 2 Tap \"x\"  0.0 0.75 1.0", "dry_wet Dry/Wet  0.0 0.25 1.0",
      ])
    #expect(plugin.audioInputs.count == 2)
    #expect(workshop.library.note(of: plugin) == nil)
  }

  @Test func `a LADSPA plugin describes names, ranges, units and scales`() throws {
    let workshop = try RigTestEnvironment()
    let source = try bare(
      "ladspa.c",
      [
        ("\"Amount\"", "\"Amount (dB)\""),
        (
          "{LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE, 0, 1}",
          "{LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE | LADSPA_HINT_DEFAULT_HIGH, -8, 8}"
        ),
      ])
    let plugin = try workshop.library.find(workshop.write(source, as: "bright.c"))
    #expect(words(plugin) == ["amount Amount dB -8.0 4.0 8.0", "invert Invert  0.0 0.0 1.0"])
    #expect(plugin.parameters[1].scale == .toggle)
    #expect(plugin.audioInputs.count == 1 && plugin.audioOutputs.count == 1)
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `parameters of JUCE and Faust are those of the code`() throws {
    let workshop = try RigTestEnvironment()
    let level = try workshop.library.find(workshop.write(bare("juce.cpp"), as: "level.cpp"))
    #expect(words(level) == ["gain Gain  -24.0 6.0 24.0", "mono Mono  0.0 0.0 1.0"])
    let faust = try workshop.library.find(workshop.write(bare("faust.cpp"), as: "faust.cpp"))
    #expect(words(faust) == ["gain gain  0.0 0.5 1.0", "pole pole  0.0 0.5 0.999"])
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `an Audio Unit's source files remain unchanged`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include "AUEffectBase.h"
      static CFStringRef kName = CFSTR("Depth");
      class Depth : public AUEffectBase {
      public:
        Depth(AudioUnit component) : AUEffectBase(component) {
          CreateElements();
          Globals()->UseIndexedParameters(1);
          SetParameter(0, 3);
        }
        virtual AUKernelBase *NewKernel() { return new Kernel(this); }
        virtual ComponentResult GetParameterInfo(AudioUnitScope scope, AudioUnitParameterID id,
                                                 AudioUnitParameterInfo &info) {
          if (scope != kAudioUnitScope_Global || id != 0) return kAudioUnitErr_InvalidParameter;
          info.flags = kAudioUnitParameterFlag_IsWritable | kAudioUnitParameterFlag_IsReadable;
          AUBase::FillInParameterName(info, kName, false);
          info.unit = kAudioUnitParameterUnit_Decibels;
          info.minValue = -6;
          info.maxValue = 6;
          info.defaultValue = 3;
          return noErr;
        }
        virtual ComponentResult Initialize() {
          ComponentResult result = AUEffectBase::Initialize();
          if (result == noErr) Reset(kAudioUnitScope_Global, 0);
          return result;
        }
      protected:
        class Kernel : public AUKernelBase {
        public:
          Kernel(AUEffectBase *unit) : AUKernelBase(unit) {}
          virtual void Process(const Float32 *in, Float32 *out, UInt32 frames, UInt32, bool &) {
            for (UInt32 i = 0; i < frames; i++) out[i] = in[i] * GetParameter(0);
          }
        };
      };
      COMPONENT_ENTRY(Depth)
      #include <outboard/au.h>
      OUTBOARD_AU_EFFECT(Depth, 2, 1)
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "depth.cpp"))
    #expect(words(plugin) == ["depth Depth dB -6.0 3.0 6.0"])
  }

  @Test func `code that crashes while it is described is described from its source`() throws {
    let workshop = try RigTestEnvironment()
    let source = """
      #include <stdlib.h>
      unsigned outboard_describe(const void *state, char *text, unsigned capacity) { abort(); }
      void process(void *s, const float *const *i, float *const *o, const float *p, unsigned n) {
        for (unsigned k = 0; k < n; k++) o[0][k] = o[1][k] = p[0] * i[0][k];
      }
      """
    let plugin = try workshop.library.find(workshop.write(source, as: "rude.c"))
    #expect(plugin.parameters.map(\.symbol) == ["p1"])
  }
}
