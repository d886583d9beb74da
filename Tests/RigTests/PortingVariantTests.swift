// PortingVariantTests.swift: unusual forms of ported code. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct PortingVariantTests {
  /// Returns the output of a source for a rising ramp on two channels, 400 frames long.
  private func output(_ source: String, as file: String, in workshop: RigTestEnvironment) throws
    -> [[Float]]
  {
    let plugin = try workshop.library.find(workshop.write(source, as: file))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    return try PortedEffect(workshop.library, plugin, []).render([line, line], block: 100)
  }

  private let line = (0 ..< 400).map { Float($0) / 512 }

  private func scaled(_ gain: Float) -> [[Float]] {
    [[Float]](repeating: line.map { $0 * gain }, count: 2)
  }

  // MARK: - C

  @Test func `C code with its own process function is renamed by two lines`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/tick.h>
      #define process their_process
      static float process(float x) { return x * 0.5f; }
      #undef process
      OUTBOARD_TICK_FUNCTION(2, their_process)
      """
    #expect(try output(source, as: "a.c", in: RigTestEnvironment()) == scaled(0.5))
  }

  @Test func `a struct with its own memory is cleared and freed by its functions`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #define OUTBOARD_CLEAR(line) line_clear(line)
      #define OUTBOARD_RELEASE(line) free((line)->memory)
      #include <outboard/tick.h>
      typedef struct { float *memory; int position; } Line;
      static void line_init(Line *l, double rate) { (void)rate; l->memory = calloc(100, 4); }
      static void line_clear(Line *l) { memset(l->memory, 0, 400); l->position = 0; }
      static float line_tick(Line *l, float x) {
        const float y = l->memory[l->position];
        l->memory[l->position] = x;
        l->position = (l->position + 1) % 100;
        return y;
      }
      OUTBOARD_TICK(Line, 2, 0, line_init, outboard_none, line_tick)
      """
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: "line.c"))
    let effect = try PortedEffect(workshop.library, plugin, [])
    let late = [Float](repeating: 0, count: 100) + line.dropLast(100)
    #expect(effect.render([line, line], block: 100) == [late, late])
    effect.node.reset()
    #expect(effect.render([line, line], block: 100) == [late, late])
  }

  @Test(
    .enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"),
    arguments: [true, false])
  func `an Audio Unit that sets everything in Reset is reset before it runs`(isKernel: Bool) throws
  {
    let kernel = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/au.h>
      struct Half : AUKernelBase {
        Half(AUEffectBase *unit) : AUKernelBase(unit) { memset(&gain, 0xa5, sizeof gain); }
        void Reset() override { gain = 0.5f; }
        void Process(const Float32 *in, Float32 *out, UInt32 n, UInt32, bool &) override {
          for (UInt32 i = 0; i < n; i++) out[i] = in[i] * gain;
        }
        Float32 gain;
      };
      """
    let effect = """
      struct Unit : AUEffectBase {
        Unit(AudioUnit unit) : AUEffectBase(unit) {}
        AUKernelBase *NewKernel() override { return new Half(this); }
      };
      OUTBOARD_AU_EFFECT(Unit, 2, 0)
      """
    let source = kernel + "\n" + (isKernel ? "OUTBOARD_AU_KERNEL(Half, 2, 0)" : effect)
    #expect(try output(source, as: "half.cpp", in: RigTestEnvironment()) == scaled(0.5))
  }

  @Test(arguments: [
    ("inputs: 2", "inputs: 1", "the code has 2 inputs, but its manifest has 1"),
    ("outputs: 2", "outputs: 3", "the code has 2 outputs, but its manifest has 3"),
    (
      "    - {symbol: level, name: Level, minimum: 0, default: 1, maximum: 1}\n", "",
      "the code has 2 parameters, but its manifest has 1"
    ),
  ])
  func `a port number that differs from its comment is refused`(
    right: String, wrong: String, message: String
  ) throws {
    let source = """
      // outboard:
      //   inputs: 2
      //   outputs: 2
      //   parameters:
      //     - {symbol: level, name: Level, minimum: 0, default: 1, maximum: 1}
      //     - {symbol: other, name: Other, minimum: 0, default: 1, maximum: 1}
      #include <outboard/tick.h>
      typedef struct { float level; } State;
      static void set(State *s, const float *parameters) { s->level = parameters[0]; }
      static float tick(State *s, float x) { return x * s->level; }
      OUTBOARD_TICK(State, 2, 2, outboard_none, set, tick)
      """
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: "right.c"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    let line = right.hasPrefix(" ") ? "// " + right : right
    let other = source.replacing(line, with: wrong)
    #expect(other != source)
    let broken = try workshop.library.find(workshop.write(other, as: "wrong.c"))
    let refusal = workshop.library.preflightError(of: broken)
    #expect(refusal?.contains(message) == true, "\(refusal ?? "none")")
  }

  @Test func `a port without its fixed block length is refused, because its output would be wrong`()
    throws
  {
    let whole = try String(
      contentsOfFile: Fixtures.path("Tests/Fixtures/porting/frames.c"), encoding: .utf8)
    let source = whole.replacing("//   block: {fixed: 480}\n", with: "")
    #expect(source != whole)
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: "frames.c"))
    #expect(throws: (any Error).self) { try PortedEffect(workshop.library, plugin, []) }
  }

  // MARK: - C++

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `lambdas work like functions, and interleaved samples pass unchanged`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/interleaved.h>
      struct Swap {};
      OUTBOARD_INTERLEAVED_FLOAT(Swap, 2, 0, outboard_none, outboard_none,
        [](Swap *, float *f, uint32_t n) { for (uint32_t i = 0; i < n; i++) f[2 * i] = -f[2 * i]; })
      """
    #expect(
      try output(source, as: "swap.cpp", in: RigTestEnvironment()) == [line.map { -$0 }, line])
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `a kernel may have any class, and an effect may create its kernels`() throws {
    let workshop = try RigTestEnvironment()
    let free = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/au.h>
      struct Quarter {
        void Process(const float *in, float *out, UInt32 n) {
          for (UInt32 i = 0; i < n; i++) out[i] = in[i] * 0.25f;
        }
      };
      OUTBOARD_AU_KERNEL(Quarter, 2, 0)
      """
    #expect(try output(free, as: "free.cpp", in: workshop) == scaled(0.25))
    let own = """
      // outboard: inputs: 2, outputs: 2, parameters: [{symbol: g, name: G, minimum: 0, default: 0.5, maximum: 1}]
      #include <outboard/au.h>
      struct Scale : AUEffectBase {
        Scale(AudioComponentInstance component) : AUEffectBase(component) {}
        struct Kernel : AUKernelBase {
          Kernel(AUEffectBase *unit) : AUKernelBase(unit) {}
          void Process(const Float32 *in, Float32 *out, UInt32 n, bool &) override {
            for (UInt32 i = 0; i < n; i++) out[i] = in[i] * GetParameter(0);
          }
        };
        AUKernelBase *NewKernel() override { return new Kernel(this); }
        Float64 GetLatency() override { return 0.001; }
      };
      OUTBOARD_AU_EFFECT(Scale, 2, 1)
      """
    #expect(try output(own, as: "own.cpp", in: workshop) == scaled(0.5))
    let plugin = try workshop.library.find(workshop.path + "/own.cpp")
    #expect(try PortedEffect(workshop.library, plugin, []).node.latencyFrames == 48)
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `early VST2 code with long arguments compiles, and its constructor gets the rate`()
    throws
  {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #define OUTBOARD_VST2_LONG
      #include "public.sdk/source/vst2.x/audioeffectx.h"
      class Old : public AudioEffectX {
      public:
        Old(audioMasterCallback master) : AudioEffectX(master, 0, 0), gain(getSampleRate() / 96000) {
          setNumInputs(2);
          setNumOutputs(2);
          setInitialDelay(7);
        }
        virtual void processReplacing(float **in, float **out, long n) {
          for (long c = 0; c < 2; c++)
            for (long i = 0; i < n; i++) {
              in[c][i] *= gain; // its own copy
              out[c][i] = in[c][i];
            }
        }
      private:
        float gain;
      };
      OUTBOARD_VST2(Old)
      """
    let workshop = try RigTestEnvironment()
    #expect(try output(source, as: "old.cpp", in: workshop) == scaled(0.5))
    let plugin = try workshop.library.find(workshop.path + "/old.cpp")
    #expect(try PortedEffect(workshop.library, plugin, []).node.latencyFrames == 7)
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `a constructor that throws refuses the instance`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <outboard/juce.h>
      struct Broken {
        Broken() { throw 1; }
        void prepareToPlay(double, int) {}
        void processBlock(juce::AudioBuffer<float> &) {}
      };
      OUTBOARD_JUCE_SET(Broken, 2, 0, outboard_none)
      """
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: "broken.cpp"))
    #expect(throws: (any Error).self) { try PortedEffect(workshop.library, plugin, []) }
  }

  // MARK: - MIDI

  @Test(
    .enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"),
    arguments: [
      """
      // outboard: inputs: 2, outputs: 2, midi: true
      #include <outboard/vst2.h>
      class Notes : public AudioEffectX {
      public:
        Notes(audioMasterCallback master) : AudioEffectX(master, 0, 0) { wantEvents(); }
        VstInt32 processEvents(VstEvents *list) override {
          for (VstInt32 e = 0; e < list->numEvents; e++) {
            const VstMidiEvent *event = (const VstMidiEvent *)list->events[e];
            if ((event->midiData[0] & 0xf0) == 0x90) gain = event->midiData[2] / 127.0f;
          }
          return 1;
        }
        void processReplacing(float **in, float **out, VstInt32 n) override {
          for (int c = 0; c < 2; c++) for (VstInt32 i = 0; i < n; i++) out[c][i] = in[c][i] * gain;
        }
      private:
        float gain = 0.5f;
      };
      OUTBOARD_VST2(Notes)
      """,
      """
      // outboard: inputs: 2, outputs: 2, midi: true
      #include <JuceHeader.h>
      struct Notes {
        float gain = 0.5f;
        void prepareToPlay(double, int) {}
        void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &messages) {
          for (const auto data : messages)
            if (data.getMessage().isNoteOn()) gain = data.getMessage().getFloatVelocity();
          buffer.applyGain(gain);
        }
      };
      OUTBOARD_JUCE_SET(Notes, 2, 0, outboard_none)
      """,
    ])
  func `MIDI reaches the code in the form that it expects`(source: String) throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: "notes.cpp"))
    let effect = try PortedEffect(workshop.library, plugin, [])
    #expect(effect.render([line, line], block: 100) == scaled(0.5))
    let events = try #require(effect.node.eventInput)
    let note: [UInt8] = [0x90, 60, 127]
    note.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      events.function(events.context, 0, base, 3)
    }
    #expect(effect.render([line, line], block: 100) == scaled(1))
  }
}
