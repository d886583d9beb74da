// LV2ResizeTests.swift: tests of LV2Resize.swift: event buffers that grow in a run. SPDX-License-Identifier: MIT

import LV2Fixtures
import LV2Host
import PluginModel
import RealtimeKit
import Testing

@Suite struct `LV2 event buffers that grow` {
  private func withGrowing(_ body: (EngineFixture) throws -> Void) throws {
    let directory = try BundleDirectory(["grows"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:grows", inBundle: directory.bundle("grows"))
    #expect(plugin.description.refusal == nil)
    try body(EngineFixture(plugin))
    withExtendedLifetime(directory) {}
  }

  @Test func `a buffer grows in the run that requests it, and keeps its content`() throws {
    try withGrowing { stage in
      stage.node.setParameter(0, to: 40_000)
      stage.render(64)
      #expect(stage.node.readout(0) == 0)
      // Before it grew.
      #expect(stage.node.readout(1) == 32_768 - 8)
      let sent = try #require(stage.node.eventOutput)
      let count = 40_000 - 32
      try #require(sent.pointee.count == 1 && sent.pointee.byteCount(at: 0) == count)
      let message = sent.pointee.message(at: 0)
      // Written before it grew, and after.
      #expect(message[0] == 0xf0)
      #expect((1 ..< count).allSatisfy { message[$0] == 7 })
      stage.node.setParameter(0, to: 20)
      stage.render(64)
      #expect(stage.node.readout(1) == 40_000 - 8)
    }
  }

  @Test func `more memory than reserved is refused, and so is a port without events`() throws {
    try withGrowing { stage in
      stage.node.setParameter(0, to: 1_048_576)
      stage.render(64)
      #expect(stage.node.readout(0) == 0)
      stage.node.setParameter(0, to: 1_048_577 + 64)
      stage.render(64)
      // LV2_RESIZE_PORT_ERR_NO_SPACE, and _UNKNOWN.
      #expect(stage.node.readout(0) == 2)
      #expect(stage.node.readout(2) == 1)
    }
  }
}
