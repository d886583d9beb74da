// PortPreparationTests.swift: ports begin with the values that they have. SPDX-License-Identifier: MIT

import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

/// Each effect glides to its gain, and starts the glide where its preparation finds the value.
@Suite struct PortPreparationTests {
  private static let juce = """
    #include <JuceHeader.h>
    struct Glide : AudioProcessor {
      Glide() { addParameter(gain = new AudioParameterFloat("gain", "Gain", 0.0f, 1.0f, 1.0f)); }
      void prepareToPlay(double, int) override {
        now = *gain;
        setLatencySamples(int(100 * *gain));
      }
      void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
        for (int i = 0; i < buffer.getNumSamples(); i++) {
          now += (*gain - now) * 0.01f;
          for (int c = 0; c < 2; c++) buffer.setSample(c, i, buffer.getSample(c, i) * now);
        }
      }
      AudioParameterFloat *gain;
      float now = 0;
    };
    OUTBOARD_JUCE(Glide, 2)
    """
  private static let juceDSP = """
    // outboard: inputs: 2, outputs: 2, parameters: [{symbol: gain, name: G, minimum: 0, default: 1, maximum: 1}]
    #include <outboard/juce.h>
    static void set(juce::dsp::Gain<float> &it, const float *values) { it.setGainLinear(values[0]); }
    struct Glide : juce::dsp::Gain<float> { Glide() { setRampDurationSeconds(0.05); } };
    OUTBOARD_JUCE_DSP(Glide, 2, 1, set)
    """
  private static let vst2 = """
    #include "audioeffectx.h"
    struct Glide : AudioEffectX {
      Glide(audioMasterCallback master) : AudioEffectX(master, 1, 1) {
        setNumInputs(2);
        setNumOutputs(2);
      }
      void setParameter(VstInt32, float value) override { gain = value; }
      float getParameter(VstInt32) override { return gain; }
      void getParameterName(VstInt32, char *text) override { strcpy(text, "Gain"); }
      void resume() override { now = gain; }
      void processReplacing(float **in, float **out, VstInt32 n) override {
        for (VstInt32 i = 0; i < n; i++) {
          now += (gain - now) * 0.01f;
          for (int c = 0; c < 2; c++) out[c][i] = in[c][i] * now;
        }
      }
      float gain = 1, now = 0;
    };
    AudioEffect *createEffectInstance(audioMasterCallback master) { return new Glide(master); }
    """
  private static let audioUnit = """
    #include "AUEffectBase.h"
    struct Glide : AUKernelBase {
      Glide(AUEffectBase *unit) : AUKernelBase(unit), now(GetParameter(0)) {}
      void Process(const Float32 *in, Float32 *out, UInt32 n, UInt32, bool &) override {
        for (UInt32 i = 0; i < n; i++) out[i] = in[i] * (now += (GetParameter(0) - now) * 0.01f);
      }
      float now;
    };
    struct Unit : AUEffectBase {
      Unit(AudioUnit unit) : AUEffectBase(unit) {
        CreateElements();
        SetParameter(0, 1);
      }
      AUKernelBase *NewKernel() override { return new Glide(this); }
      OSStatus GetParameterInfo(AudioUnitScope, AudioUnitParameterID,
                                AudioUnitParameterInfo &info) override {
        FillInParameterName(info, CFSTR("Gain"), false);
        info.minValue = 0;
        info.maxValue = info.defaultValue = 1;
        return noErr;
      }
    };
    COMPONENT_ENTRY(Unit)
    """
  private static let kernel = """
    // outboard: inputs: 2, outputs: 2, parameters: [{symbol: gain, name: G, minimum: 0, default: 1, maximum: 1}]
    #include <outboard/au.h>
    struct Glide : AUKernelBase {
      Glide(AUEffectBase *unit) : AUKernelBase(unit) {}
      void Reset() override { now = GetParameter(0); }
      void Process(const Float32 *in, Float32 *out, UInt32 n, UInt32, bool &) override {
        for (UInt32 i = 0; i < n; i++) out[i] = in[i] * (now += (GetParameter(0) - now) * 0.01f);
      }
      float now = 0;
    };
    OUTBOARD_AU_KERNEL(Glide, 2, 1)
    """
  private static let ladspa = """
    #include <ladspa.h>
    #include <stdlib.h>
    typedef struct { float *ports[5]; float now; } Glide;
    static LADSPA_Handle make(const LADSPA_Descriptor *d, unsigned long rate) {
      (void)d, (void)rate;
      return calloc(1, sizeof(Glide));
    }
    static void join(LADSPA_Handle it, unsigned long p, float *at) { ((Glide *)it)->ports[p] = at; }
    static void activate(LADSPA_Handle it) { ((Glide *)it)->now = *((Glide *)it)->ports[0]; }
    static void run(LADSPA_Handle it, unsigned long n) {
      Glide *g = (Glide *)it;
      for (unsigned long i = 0; i < n; i++) {
        g->now += (*g->ports[0] - g->now) * 0.01f;
        for (int c = 1; c < 3; c++) g->ports[c + 2][i] = g->ports[c][i] * g->now;
      }
    }
    enum { IN = LADSPA_PORT_INPUT | LADSPA_PORT_AUDIO, OUT = LADSPA_PORT_OUTPUT | LADSPA_PORT_AUDIO };
    static const LADSPA_PortDescriptor ports[] = {LADSPA_PORT_INPUT | LADSPA_PORT_CONTROL, IN, IN, OUT, OUT};
    static const char *const names[] = {"Gain", "L", "R", "To L", "To R"};
    static const LADSPA_PortRangeHint hints[5] = {
        {LADSPA_HINT_BOUNDED_BELOW | LADSPA_HINT_BOUNDED_ABOVE | LADSPA_HINT_DEFAULT_1, 0, 1}};
    static const LADSPA_Descriptor it = {1, "glide", 0, "Glide", "-", "-", 5, ports, names, hints,
                                         NULL, make, join, activate, run, NULL, NULL, NULL, free};
    const LADSPA_Descriptor *ladspa_descriptor(unsigned long i) { return i == 0 ? &it : NULL; }
    """

  @Test(
    .enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"),
    arguments: [
      ("juce.cpp", juce), ("dsp.cpp", juceDSP), ("vst2.cpp", vst2), ("unit.cpp", audioUnit),
      ("kernel.cpp", kernel), ("ladspa.c", ladspa),
    ])
  func `the first frame has the value that was set, not the default`(
    file: String, source: String
  ) throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(source, as: file))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    let effect = try PortedEffect(workshop.library, plugin, [0.25])
    let ones = [Float](repeating: 1, count: 128)
    let quarters = [Float](repeating: 0.25, count: 128)
    #expect(effect.render([ones, ones], block: 64) == [quarters, quarters])
    effect.node.reset()
    #expect(effect.render([ones, ones], block: 64) == [quarters, quarters])
  }

  @Test(.enabled(if: RigTestEnvironment.hasProgram("c++"), "there is no C++ compiler"))
  func `the latency is that of the values`() throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(workshop.write(Self.juce, as: "juce.cpp"))
    #expect(try PortedEffect(workshop.library, plugin, []).node.latencyFrames == 100)
    #expect(try PortedEffect(workshop.library, plugin, [0.25]).node.latencyFrames == 25)
  }
}
