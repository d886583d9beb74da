// LV2EventTests.swift: MIDI to and from LV2 plugins, and instruments. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RealtimeKit
import RenderGraph
import Testing

@Suite struct `LV2 events` {
  private func withNotes(
    _ events: [ScheduledEvent], maximumFrameCount: Int = 512, _ body: (EngineFixture) throws -> Void
  ) throws {
    let directory = try BundleDirectory(["notes"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:notes", inBundle: directory.bundle("notes"))
    try body(EngineFixture(plugin, events, maximumFrameCount: maximumFrameCount))
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: [[1], [17], [512], [3, 1, 500]])
  func `messages arrive at the designated port, at their frames, in a valid sequence`(
    blocks: [Int]
  ) throws {
    let lengths = [3, 1, 2, 8, 9, 100]
    let events = (0 ..< 60).map { index in
      ScheduledEvent(
        frame: UInt64(index * index),
        bytes: [0xf0] + [UInt8](repeating: UInt8(index + 1), count: lengths[index % 6] - 1))
    }
    try withNotes(events) { stage in
      var expected = [Float](repeating: 0, count: 4_000)
      for event in events where event.bytes.count > 1 {
        expected[Int(event.frame)] += Float(event.bytes[1])
      }
      #expect(stage.render(4_000, blocks: blocks) == expected)
      #expect(stage.node.readout(0) == 0)
    }
  }

  @Test func `a plugin's output is passed on message by message`() throws {
    let events = (0 ..< 20).map { ScheduledEvent(frame: $0 * 40, bytes: [0x90, UInt8($0), 1]) }
    try withNotes(events) { stage in
      _ = stage.render(1_024)
      let messages = stage.takeSent()
      #expect(messages.count == 20)
      #expect(messages.last?.count == 3)
    }
  }

  @Test func `each of several ports gets all input, and the output of each is passed on`() throws {
    let directory = try BundleDirectory(["two_ways"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:two_ways", inBundle: directory.bundle("two_ways"))
    let stage = try EngineFixture(
      plugin,
      [
        ScheduledEvent(frame: 3, bytes: [0x90, 60, 0x40]),
        ScheduledEvent(frame: 9, bytes: [0x80, 60, 0x40]),
      ])
    _ = stage.render(64)
    #expect(
      stage.takeSent() == [[0x90, 60, 1], [0x90, 60, 2], [0x80, 60, 1], [0x80, 60, 2]])
    withExtendedLifetime(directory) {}
  }

  @Test func `an output that claims to be longer than its buffer is not trusted`() throws {
    try withNotes([ScheduledEvent(frame: 0, bytes: [0xf6, 1])]) { stage in
      _ = stage.render(512)
      let next = stage.engine.midiOutput.pointee.nextTime()
      #expect(next == nil)
      #expect(stage.node.readout(0) == 0)
    }
  }

  @Test func `messages beyond the buffer are dropped, but a note-off still arrives`() throws {
    let flood = (0 ..< 4_000).map { _ in ScheduledEvent(frame: 0, bytes: [0xb0, 1, 100]) }
    let end = ScheduledEvent(frame: 1, bytes: [0x80, 77, 0])
    try withNotes(flood + [end]) { stage in
      let output = stage.render(512)
      // Each has 24 bytes of 64 KiB, minus 4 KiB that are reserved.
      let room = 65_536 + 8 - 16 - 4_096
      #expect(output[0] == Float(room / 24))
      #expect(output[1] == 77)
      #expect(stage.node.readout(0) == 0)
    }
  }

  // MARK: - Instruments

  private static let mda = "http://drobilla.net/plugins/mda/"

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/lib/lv2/mda.lv2/Piano.so")),
    arguments: ["Piano", "EPiano", "DX10", "JX10"], [[512], [64]])
  func `an instrument plays from its note on to its note off`(
    name: String, blocks: [Int]
  ) throws {
    let plugin = try LV2Scanner.plugin(Self.mda + name, inBundle: "/usr/lib/lv2/mda.lv2")
    let stage = try EngineFixture(
      plugin,
      [
        ScheduledEvent(frame: 1_000, bytes: [0x90, 60, 100]),
        ScheduledEvent(frame: 25_000, bytes: [0x80, 60, 64]),
      ])
    let output = stage.render(10 * 48_000, blocks: blocks)
    let first = output.firstIndex { $0 != 0 } ?? -1
    let before = peak(output.prefix(1_000))
    #expect(before < 1e-9)
    // Within a millisecond: an attack may begin at zero.
    let captured = output.firstIndex { abs($0) > 1e-6 } ?? -1
    #expect((1_000 ... 1_048).contains(captured), "first at \(first), heard at \(captured)")
    #expect(peak(output[2_000 ..< 24_000]) > 0.001)
    #expect(peak(output.suffix(4_800)) < 1e-4)
  }

  private func peak(_ samples: ArraySlice<Float>) -> Float {
    samples.reduce(0) { max($0, abs($1)) }
  }
}
