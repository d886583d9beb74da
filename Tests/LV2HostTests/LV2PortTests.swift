// LV2PortTests.swift: properties of ports and their effect. SPDX-License-Identifier: MIT

import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `Ports of LV2 plugins` {
  private func withPlugin(_ body: (LV2Plugin) throws -> Void) throws {
    let directory = try BundleDirectory(["port_facts"])
    try body(
      LV2Scanner.plugin(
        "urn:outboard:test:port_facts", inBundle: directory.bundle("port_facts")))
    withExtendedLifetime(directory) {}
  }

  private func withNode(_ body: (LV2Node) throws -> Void) throws {
    try withPlugin { plugin in
      try body(
        LV2Node(
          plugin,
          NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)))
    }
  }

  @Test func `every declared fact of a parameter is read`() throws {
    try withPlugin { plugin in
      let parameters = plugin.description.parameters
      #expect(
        parameters.map(\.symbol) == [
          "works", "level", "lag", "mode", "cutoff", "pitch", "corner",
        ])
      #expect(parameters[0].traits == .enables)
      #expect(
        parameters[1].traits.names == [
          "expensive", "causes artifacts", "not on GUI", "not automatic", "strict bounds",
        ])
      #expect(parameters[2].traits.isEmpty)
      #expect(
        parameters[5 ... 6].map(\.traits.names)
          == Array(repeating: ["scales with sample rate"], count: 2))
      #expect(
        parameters.map(\.scale) == [
          .toggle, .linear, .integer, .integer, .logarithmic, .linear, .linear,
        ])
      #expect(parameters[3].isEnumeration)
      #expect(parameters[3].choices.map(\.name) == ["Low", "Middle", "High"])
    }
  }

  @Test func `a unit has its symbol, or that of its format`() throws {
    try withPlugin { plugin in
      #expect(plugin.description.parameters.map(\.unit) == ["", "G", "% of it", "", "Hz", "", ""])
    }
  }

  @Test func `limits in multiples of the rate follow it, and so does a default in that form`()
    throws
  {
    try withPlugin { plugin in
      for (rate, corner, maximum) in [
        (48_000.0, Float(12_000), Float(24_000)), (96_000, 24_000, 48_000),
      ] {
        let parameters = plugin.description(at: rate).parameters
        // 440 Hz at any rate, because it is outside of the limits before they are multiplied.
        #expect(parameters[5].defaultValue == 440)
        #expect(parameters[6].defaultValue == corner)
        #expect(parameters[5 ... 6].map(\.maximum) == [maximum, maximum])
      }
    }
  }

  @Test func `main ports and side chains are distinguished in any order`() throws {
    try withPlugin { plugin in
      let inputs = plugin.description.audioInputs
      #expect(inputs.map(\.group) == ["sidechain", "front"])
      #expect(inputs.map(\.isMain) == [false, true])
      #expect(plugin.description.audioOutputs.map(\.isMain) == [true])
    }
  }

  @Test func `a plugin with an enabled port starts enabled, and can be bypassed`() throws {
    try withNode { node in
      let works = try #require(node.description.enablingParameter)
      #expect(works == 0)
      #expect(node.description.parameters[works].defaultValue == 1)
      #expect(node.description.parameters[works].minimum == 0)
      try node.activate()
      _ = Player(node).play(64) { _, _ in 0 }
      #expect(node.readout(0) == 0)
      node.setParameter(works, to: 0)
      #expect(node.parameter(works) == 0)
    }
  }

  @Test func `every set value is within its range`() throws {
    try withNode { node in
      try node.activate()
      let player = Player(node)
      for value in [Float(-7), 0.4, 9, .infinity, -.infinity, .nan, 333.4] {
        for index in 1 ... 3 { node.setParameter(index, to: value) }
        _ = player.play(16) { _, _ in 0 }
      }
      #expect(node.readout(0) == 0)
    }
  }

  @Test func `a latency port of the old kind is read, and so is every change`() throws {
    try withNode { node in
      #expect(node.description.reportsLatency)
      #expect(node.latencyFrames == 0)
      try node.activate()
      #expect(node.latencyFrames == 7)
      let player = Player(node)
      for delay in [100, 0, 1_000] {
        node.setParameter(2, to: Float(delay))
        _ = player.play(16) { _, _ in 0 }
        #expect(node.latencyFrames == delay)
      }
    }
  }
}
