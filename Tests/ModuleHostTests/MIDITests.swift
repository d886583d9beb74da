// MIDITests.swift: messages at their frames. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import RealtimeKit
import RenderGraph
import Testing

@testable import ModuleHost

private func node(_ block: ModuleRequirements.Block = .any, midi: Bool = true) throws -> ModuleNode
{
  try instance(of: "notes", manifest(inputs: 0, outputs: 2, midi: midi, block: block))
}

@Suite struct MIDITests {
  @Test(arguments: [
    (ModuleRequirements.Block.any, [1]), (.any, [17]), (.any, [1_000]),
    (.maximum(frameCount: 50), [333]), (.fixed(frameCount: 480), [64]),
    (.fixed(frameCount: 64), [1_000, 1]), (.multiple(of: 100), [480]),
  ])
  func `every message arrives once, at its frame`(
    block: ModuleRequirements.Block, hostBlocks: [Int]
  ) throws {
    let node = try node(block)
    let frames = [0, 1, 1, 49, 50, 63, 64, 99, 100, 479, 480, 999, 1_000, 1_001, 2_999]
    var expected = [Float](repeating: 0, count: 4_000)
    for (index, frame) in frames.enumerated() {
      #expect(node.send(midi: [0x90, UInt8(index + 1), 100], atFrame: UInt64(frame)))
      expected[frame + node.latencyFrames] += Float(index + 1)
    }
    #expect(render(node, frames: 4_000, blocks: hostBlocks)[0] == expected)
  }

  @Test func `a late message takes effect at the start of the next block`() throws {
    let node = try node()
    _ = render(node, frames: 100, blocks: [100])
    #expect(node.renderedFrameCount == 100)
    #expect(node.send(midi: [0x90, 60, 1], atFrame: 3))
    #expect(node.send(midi: [0x90, 61, 1], atFrame: node.renderedFrameCount + 5))
    let output = render(node, frames: 10, blocks: [10])[0]
    #expect(output == [60, 0, 0, 0, 0, 61, 0, 0, 0, 0])
  }

  @Test func `after a reset within a re-blocked block, frames still match the stream`()
    throws
  {
    let node = try node(.fixed(frameCount: 10))
    _ = render(node, frames: 27, blocks: [27])
    node.reset()
    #expect(node.renderedFrameCount == 27)
    #expect(node.send(midi: [0x90, 60, 1], atFrame: 30))
    let output = render(node, frames: 30, blocks: [30])[0]
    #expect(output.firstIndex(of: 60) == 3 + node.latencyFrames)
  }

  @Test func `reset drops waiting messages`() throws {
    let node = try node()
    #expect(node.send(midi: [0x90, 60, 1], atFrame: 0))
    node.reset()
    #expect(render(node, frames: 10, blocks: [10])[0] == .init(repeating: 0, count: 10))
  }

  @Test func `a full ring refuses messages, and accepts them again when there is room`() throws {
    let node = try node()
    var sent = 0
    while node.send(midi: [0x90, 1, 1], atFrame: 5) { sent += 1 }
    // 64 KiB, 32 bytes for each: 16 of header, 16 for the message.
    #expect(sent == 2_048)
    let output = render(node, frames: 10, blocks: [10])
    #expect(output[0] == [0, 0, 0, 0, 0, 2_048, 0, 0, 0, 0])
    #expect(node.send(midi: [0x90, 2, 1], atFrame: 0))
    #expect(render(node, frames: 1, blocks: [1])[0] == [2])
  }

  @Test func `a long message arrives complete, and one that is too long is refused`() throws {
    let node = try node()
    #expect(node.send(midi: [UInt8](repeating: 0xf0, count: 30_000), atFrame: 1))
    #expect(!node.send(midi: [UInt8](repeating: 0xf0, count: 40_000), atFrame: 1))
    #expect(render(node, frames: 2, blocks: [2])[1] == [0, 30_000])
  }

  @Test func `a module without MIDI refuses messages`() throws {
    #expect(try !node(midi: false).send(midi: [0x90, 60, 1], atFrame: 0))
  }
}

@Suite struct RealTimeSanitizerTests {
  /// Whether this program is linked with the sanitizer.
  static let isWatching = dlsym(nil, "__rtsan_realtime_enter") != nil

  @Test(.enabled(if: isWatching, "needs a build with -fsanitize=realtime"))
  func `a module that allocates memory while it renders is reported`() async throws {
    await #expect(processExitsWith: .exitCode(43)) {
      let node = try instance(of: "allocates")
      _ = render(node, [[0]], frames: 1, blocks: [1])
    }
  }
}

@Suite struct GraphMIDITests {
  @Test(arguments: [
    (ModuleRequirements.Block.any, [1]), (.any, [17]), (.any, [1_000]),
    (.maximum(frameCount: 50), [333]), (.fixed(frameCount: 480), [64]),
    (.fixed(frameCount: 64), [1_000, 1]), (.multiple(of: 100), [480]),
  ])
  func `the graph's messages arrive once, at their frames, together with sent messages`(
    block: ModuleRequirements.Block, hostBlocks: [Int]
  ) throws {
    let node = try node(block)
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 0, outputChannelCount: 1, maximumFrameCount: 1_024,
        sampleRateHz: 48_000, startsFadedOut: false))
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 1)
    let id = graph.add(node, named: "notes")
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    try graph.connectEvents(.input, to: .node(id))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    let frames: [UInt64] = [0, 1, 1, 49, 50, 63, 64, 99, 479, 480, 999, 1_000, 1_001, 2_999]
    var expected = [Float](repeating: 0, count: 4_000)
    for (index, frame) in frames.enumerated() {
      expected[Int(frame) + node.latencyFrames] += Float(index + 1)
    }
    #expect(node.send(midi: [0x90, 100, 1], atFrame: 700))
    expected[700 + node.latencyFrames] += 100
    engine.schedule(
      frames.enumerated().map { ScheduledEvent(frame: $1, bytes: [0x90, UInt8($0 + 1), 9]) })
    var output: [Float] = []
    var turn = 0
    while output.count < 4_000 {
      let count = min(hostBlocks[turn % hostBlocks.count], 4_000 - output.count)
      renderBlock(engine.pointer, count)
      output += (0 ..< count).map { engine.pointer.pointee.outputs[0][$0] }
      turn += 1
    }
    #expect(output == expected)
  }

  @Test func `a module without MIDI has no MIDI input`() throws {
    #expect(try node(midi: false).eventInput == nil)
  }
}
