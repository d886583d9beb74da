// RigVoltageTests.swift: control voltage in the connections of a rig. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import Testing

@testable import RigPlanning
@testable import RigSchema

@Suite struct RigVoltageTests {
  /// One audio input and output, one control voltage input and one output.
  private let filter = Self.patched(mono("filter"), ["cutoff"], ["level"])
  /// Two audio channels, and two voltage inputs.
  private let panner = Self.patched(stereo("panner"), ["pan", "width"], [])
  /// A node with only a voltage.
  private let lfo = Self.patched(plugin("lfo", 0, 0), [], ["wave"])

  private static func patched(
    _ description: PluginDescription, _ inputs: [String], _ outputs: [String]
  ) -> PluginDescription {
    var description = description
    description.cvInputs = inputs.map { AudioPort(symbol: $0, name: $0.capitalized) }
    description.cvOutputs = outputs.map { AudioPort(symbol: $0, name: $0.capitalized) }
    return description
  }

  @Test func `the channels of a node are those of its audio`() throws {
    let plan = try plan([panner], "in -> panner -> out", inputs: 2, outputs: 2)
    #expect(links(plan) == ["in1>panner1", "in2>panner2", "panner1>out1", "panner2>out2"])
  }

  @Test func `a voltage is selected by symbol or name, and scaled by the gain`() throws {
    let plan = try plan(
      [lfo, panner], "in -> panner -> out", "lfo:wave -> panner:Width",
      "{from: \"lfo:wave\", to: \"panner:pan\", gain: -20 dB}", inputs: 2, outputs: 2)
    // After the two audio channels.
    #expect(links(plan).suffix(2) == ["lfo1>panner4", "lfo1>panner3*0.1"])
  }

  @Test func `a plugin that runs once for each channel has a voltage in each instance`() throws {
    let plan = try plan(
      [lfo, filter], "in -> filter -> out", "lfo:wave -> filter:cutoff", inputs: 2, outputs: 2)
    #expect(plan.nodes[1].instanceCount == 2)
    #expect(
      links(plan) == [
        "in1>filter1", "in2>filter3", "filter1>out1", "filter3>out2", "lfo1>filter2",
        "lfo1>filter4",
      ])
  }

  @Test func `channel numbers do not count voltages`() throws {
    var rig = try rig([filter], "in -> filter", "filter:2 -> out")
    rig.nodes[0].instanceCount = 2
    let plan = try plan(rig, [filter], 2, 1)
    #expect(links(plan).last == "filter3>out1")
    let reported = try mistakes([filter], "in:1 -> filter", "filter:2 -> out")
    let message = "filter has no such port among its audio outputs. Known ports: out_1, level."
    #expect(reported.count == 1 && reported[0].hasSuffix(": \(message)"), "\(reported)")
  }

  @Test func `a voltage can be connected to an audio input, and audio to a voltage`() throws {
    let plan = try plan(
      [filter, panner], "in:1 -> filter", "filter:level -> out:1", "filter -> panner:pan",
      inputs: 2, outputs: 2)
    #expect(links(plan) == ["in1>filter1", "filter2>out1", "filter1>panner3"])
  }

  @Test func `an audio connection of a node with voltages only is refused with that reason`() throws
  {
    let reported = try mistakes([lfo, stereo("verb")], "lfo -> verb -> out")
    let message =
      "lfo has no audio outputs, so it cannot feed verb; name one of its control voltages, e.g."
      + " lfo:wave."
    #expect(reported.count == 1 && reported[0].hasSuffix(": \(message)"), "\(reported)")
  }

  @Test func `a DOT graph names control voltages and counts audio channels`() throws {
    let plan = try plan(
      [lfo, filter], "in -> filter -> out", "lfo:wave -> filter:cutoff", inputs: 2, outputs: 2)
    let lines = DOTWriter.dot(plan, name: "x").split(separator: "\n").map(String.init)
    #expect(lines.contains("  in -> n1 [label=\"1→1 2→2\"];"))
    #expect(lines.contains("  n0 -> n1 [label=\"wave→cutoff wave→cutoff\"];"))
    #expect(lines.contains("  n1 -> out [label=\"1→1 2→2\"];"))
  }
}
