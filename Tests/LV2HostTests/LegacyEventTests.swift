// LegacyEventTests.swift: tests of LegacyEvents.swift. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RealtimeKit
import Testing

@Suite struct `Event ports from before 2012` {
  private static let configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 512, isOffline: true)

  private func withNode(_ body: (LV2Node) throws -> Void) throws {
    let directory = try BundleDirectory(["legacy_events"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:legacy_events", inBundle: directory.bundle("legacy_events"))
    #expect(plugin.description.acceptsMIDI)
    #expect(plugin.description.producesMIDI)
    let node = try LV2Node(plugin, Self.configuration)
    try node.activate()
    try body(node)
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: [[1], [17], [512], [3, 1, 500]])
  func `messages arrive at their frames, and are passed on`(blocks: [Int]) throws {
    try withNode { node in
      let input = try #require(node.eventInput)
      let sent = try #require(node.eventOutput)
      let lengths = [3, 2, 8, 5, 100]
      let frames = (0 ..< 40).map { $0 * $0 }
      var expected = [Float](repeating: 0, count: 2_000)
      for (index, frame) in frames.enumerated() { expected[frame] += Float(index + 1) }
      var answered = [Float](repeating: 0, count: 2_000)
      var start = 0
      func collect() {
        for index in 0 ..< sent.pointee.count {
          let frame = start + Int(sent.pointee.frame(at: index))
          answered[frame] += Float(sent.pointee.message(at: index)[1])
        }
      }
      var turn = 0
      let output = render(node, frames: 2_000, blocks: blocks) { done in
        if done > 0 { collect() }
        start = done
        let block = done ..< done + blocks[turn % blocks.count]
        turn += 1
        for (index, frame) in frames.enumerated() where block ~= frame {
          let tail = [UInt8](repeating: UInt8(index + 1), count: lengths[index % 5] - 1)
          let bytes = [0xf0] + tail
          input.function(input.context, UInt32(frame - done), bytes, UInt32(bytes.count))
        }
      }
      collect()
      #expect(output[0] == expected)
      #expect(answered == expected)
      #expect(node.readout(0) == 0)
    }
  }

  @Test func `messages beyond the buffer are dropped, but a note-off still arrives`() throws {
    try withNode { node in
      let input = try #require(node.eventInput)
      for _ in 0 ..< 4_000 { input.function(input.context, 0, [0xb0, 1, 100], 3) }
      input.function(input.context, 1, [0x80, 77, 0], 3)
      let output = render(node, frames: 512, blocks: [512])[0]
      // Each has 16 bytes of 32 KiB, minus 4 KiB that are reserved.
      #expect(output[0] == Float((32_768 - 4_096) / 16))
      #expect(output[1] == 77)
      #expect(node.readout(0) == 0)
    }
  }

  @Test func `an output that claims to be longer than its buffer is not trusted`() throws {
    try withNode { node in
      let input = try #require(node.eventInput)
      let sent = try #require(node.eventOutput)
      input.function(input.context, 0, [0xf6, 1], 2)
      _ = render(node, frames: 512, blocks: [512])
      #expect(sent.pointee.count == 0)
      // In the next run the buffer is valid again.
      input.function(input.context, 3, [0x90, 60, 1], 3)
      _ = render(node, frames: 512, blocks: [512])
      #expect(sent.pointee.count == 1)
      #expect(node.readout(0) == 0)
    }
  }

  private static let organ = "/usr/lib/lv2/foo-yc20.lv2"

  @Test(.enabled(if: FileManager.default.fileExists(atPath: organ + "/foo-yc20.so")))
  func `an organ with the old event extension plays while a key is down`() throws {
    let plugin = try LV2Scanner.plugin(
      "http://studionumbersix.com/foo/lv2/yc20", inBundle: Self.organ)
    let node = try LV2Node(plugin, Self.configuration)
    try node.activate()
    let input = try #require(node.eventInput)
    let output = render(node, frames: 48_000, blocks: [512]) { done in
      if done == 512 { input.function(input.context, 0, [0x90, 60, 100], 3) }
      if done == 20 * 512 { input.function(input.context, 0, [0x80, 60, 0], 3) }
    }[0]
    func peak(_ samples: ArraySlice<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }
    let before = peak(output[0 ..< 512])
    let held = peak(output[5 * 512 ..< 20 * 512])
    let after = peak(output.suffix(10_000))
    #expect(held > 0.001 && held > 100 * max(before, after), "\(before) \(held) \(after)")
  }
}
