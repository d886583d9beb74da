// LV2ReaderTests.swift: tests of LV2Reader.swift and its ports. SPDX-License-Identifier: MIT

import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `Reading LV2 data` {
  private func description(_ uri: String, _ bundle: String) throws -> PluginDescription {
    try LV2Scanner.plugin(uri, inBundle: "/usr/lib/lv2/" + bundle).description
  }

  @Test func `the MDA reverb is described completely`() throws {
    let plugin = try description("http://drobilla.net/plugins/mda/Ambience", "mda.lv2")
    #expect(plugin.name == "MDA Ambience")
    #expect(plugin.kind == .lv2)
    #expect(plugin.category == "Reverb")
    #expect(plugin.audioInputs.map(\.symbol) == ["left_in", "right_in"])
    #expect(plugin.audioOutputs.map(\.symbol) == ["left_out", "right_out"])
    #expect(plugin.parameters.map(\.symbol) == ["size", "hf_damp", "mix", "output"])
    #expect(plugin.parameters.map(\.defaultValue) == [0.7, 0.7, 0.9, 0.5])
    #expect(plugin.location == "/usr/lib/lv2/mda.lv2/")
    #expect(plugin.library.hasPrefix("/usr/lib/lv2/mda.lv2/"))
    #expect(plugin.refusal == nil)
  }

  @Test func `units are written in their usual form`() throws {
    let plugin = try description("http://lv2plug.in/plugins/eg-amp", "eg-amp.lv2")
    #expect(plugin.parameters.map(\.unit) == ["dB"])
    #expect(plugin.parameters.map(\.minimum) == [-90])
    #expect(plugin.parameters.map(\.maximum) == [24])
  }

  @Test func `ports for the host's own use are not parameters`() throws {
    let directory = try BundleDirectory(["witness"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:witness", inBundle: directory.bundle("witness")
    ).description
    #expect(plugin.parameters.map(\.symbol) == ["gain", "pulse"])
    #expect(plugin.readouts.map(\.symbol) == ["breaches", "pulses"])
    #expect(plugin.reportsLatency)
    #expect(plugin.acceptsMIDI)
    #expect(!plugin.producesMIDI)
    #expect(plugin.otherPorts == ["atom", "atom"])
  }

  @Test func `a range without a declaration is zero to one`() throws {
    let directory = try BundleDirectory(["witness"])
    let gain = try LV2Scanner.plugin(
      "urn:outboard:test:witness", inBundle: directory.bundle("witness")
    ).description.parameters[0]
    #expect(gain.minimum == 0)
    #expect(gain.defaultValue == 0)
    #expect(gain.maximum == 1)
  }

  @Test func `a range in multiples of the rate follows the rate`() throws {
    let filter = try LV2Scanner.plugin(
      "http://plugin.org.uk/swh-plugins/lowpass_iir", inBundle: "/usr/lib/lv2/lowpass_iir-swh.lv2")
    let slow = filter.description(at: 48_000).parameters[0]
    let fast = filter.description(at: 96_000).parameters[0]
    #expect(slow.maximum > 1000)
    #expect(fast.maximum == 2 * slow.maximum)
  }

  @Test func `the line of broken Turtle is found in lilv's output`() {
    let noise = """
      lilv_world_load_bundle(): warning: something
      error: file:///x/y.lv2/z.ttl:12:3: expected `]', not `,'
      lilv_world_load_file(): error: Error loading file `file:///x/y.lv2/z.ttl'
      """
    #expect(
      LV2Scanner.turtleFault(inNoise: noise)
        == "syntax error in z.ttl, line 12 (expected `]', not `,')")
    #expect(LV2Scanner.turtleFault(inNoise: "warning: nothing much\n") == nil)
  }

}
