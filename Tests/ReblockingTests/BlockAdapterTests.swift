// BlockAdapterTests.swift: tests of the target Reblocking. SPDX-License-Identifier: MIT

import FixtureSupport
import PluginModel
import RealtimeKit
import Testing

@testable import Reblocking

/// A node that copies two channels behind an adapter, and records its block lengths.
///
/// It writes to the outputs before it reads the last inputs, so it fails in place. Its events are
/// passed to the queue of its block.
private final class CopyNode: Node {
  struct State: ~Copyable {
    var lengths: [Int] = []
    var events = EventQueue()
    /// Events of the next block.
    var waiting = EventQueue()
  }

  let state: UnsafeMutablePointer<State>
  let adapter: BlockAdapter
  var audioInputCount: Int { 2 }
  var audioOutputCount: Int { 2 }
  var latencyFrames: Int { adapter.latencyFrames }
  var canRunInPlace: Bool { adapter.startsCollecting }
  var step: NodeStep { adapter.step }
  var eventInput: NodeEventInput? { adapter.eventInput }
  var eventOutput: UnsafeMutablePointer<EventQueue>? { adapter.eventOutput }

  init(_ shape: BlockConstraint, host: Int, isConstant: Bool = false) {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    let step = NodeStep(
      function: { context, buffers, frameCount in
        let state = context.assumingMemoryBound(to: State.self)
        state.pointee.lengths.append(Int(frameCount))
        for channel in 0 ..< 2 {
          for frame in 0 ..< Int(frameCount) {
            buffers[2 + channel][frame] = buffers[channel][frame]
          }
        }
        state.pointee.events.clear()
        for index in 0 ..< state.pointee.waiting.count {
          state.pointee.events.add(
            frame: state.pointee.waiting.frame(at: index),
            state.pointee.waiting.message(at: index),
            Int(state.pointee.waiting.byteCount(at: index)))
        }
        state.pointee.waiting.clear()
      }, context: state)
    var inner = BlockAdapter.Inner(step: step, inputCount: 2, outputCount: 2)
    inner.eventInput = NodeEventInput(
      function: { context, frame, bytes, byteCount in
        context.assumingMemoryBound(to: State.self).pointee.waiting
          .add(frame: frame, bytes, Int(byteCount))
      }, context: state)
    inner.eventOutput = withUnsafeMutablePointer(to: &state.pointee.events) { $0 }
    adapter = BlockAdapter(
      shape, around: inner,
      NodeConfiguration(
        sampleRateHz: 48_000, maximumFrameCount: host, hasConstantBlocks: isConstant))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() { adapter.reset() }
}

@Suite struct `Re-blocking` {
  private static func signal(_ frames: Int) -> [[Float]] {
    let row = (0 ..< frames).map { Float($0 + 1) }
    return [row, row.map { -$0 }]
  }

  private static func late(_ rows: [[Float]], _ frames: Int) -> [[Float]] {
    rows.map { Array(([Float](repeating: 0, count: frames) + $0).prefix($0.count)) }
  }

  @Test(arguments: [
    BlockConstraint.exactly(frameCount: 1), .exactly(frameCount: 7), .exactly(frameCount: 128),
    .multiple(of: 48), .powerOfTwo(upTo: 64), .powerOfTwo(upTo: 1),
  ])
  func `the output is the input plus the latency, with any blocks of the host`(
    shape: BlockConstraint
  ) {
    let input = Self.signal(1_500)
    for host in 1 ... 400 {
      for isConstant in [false, true] {
        let node = CopyNode(shape, host: host, isConstant: isConstant)
        let frames = isConstant ? 1_500 / host * host : 1_500
        let output = render(node, input, frames: frames, blocks: [host])
        let expected = Self.late(input, node.latencyFrames).map { Array($0.prefix(frames)) }
        guard output == expected, node.state.pointee.lengths.allSatisfy(shape.allows) else {
          Issue.record("blocks of \(host) frames break \(shape)")
          return
        }
        #expect(node.latencyFrames == (shape.isFree(host, isConstant) ? 0 : shape.frameCount - 1))
      }
    }
  }

  @Test func `blocks that fit pass unchanged or in as few pieces as possible`() {
    func lengths(_ shape: BlockConstraint, _ host: Int) -> [Int] {
      let node = CopyNode(shape, host: host, isConstant: true)
      _ = render(node, Self.signal(host), frames: host, blocks: [host])
      return node.state.pointee.lengths
    }
    #expect(lengths(.exactly(frameCount: 128), 128) == [128])
    #expect(lengths(.exactly(frameCount: 128), 384) == [128, 128, 128])
    #expect(lengths(.multiple(of: 128), 384) == [384])
    #expect(lengths(.powerOfTwo(upTo: 256), 480) == [256, 128, 64, 32])
    #expect(lengths(.powerOfTwo(upTo: 128), 480) == [128, 128, 128, 64, 32])
    #expect(lengths(.powerOfTwo(upTo: 512), 512) == [512])
  }

  @Test func `collecting works if inputs and outputs share memory`() {
    let input = Self.signal(1_000)
    for host in [1, 3, 5, 8, 1_000] {
      let node = CopyNode(.exactly(frameCount: 5), host: host)
      #expect(node.canRunInPlace)
      let output = render(node, input, frames: 1_000, blocks: [host], inPlace: true)
      #expect(output == Self.late(input, 4))
    }
  }

  @Test func `the first block that does not fit begins the delay, and a reset ends it`() {
    let node = CopyNode(.exactly(frameCount: 64), host: 64, isConstant: true)
    let input = Self.signal(640)
    #expect(render(node, input, frames: 640, blocks: [64]) == input)
    #expect(render(node, input, frames: 640, blocks: [63]) == Self.late(input, 63))
    #expect(node.latencyFrames == 63)
    // A later block that would fit does not cause another gap.
    #expect(node.adapter.collectedFrameCount == 0)
    #expect(render(node, input, frames: 640, blocks: [64])[0].suffix(577) == input[0].prefix(577))
    node.reset()
    #expect(node.latencyFrames == 0)
    #expect(render(node, input, frames: 640, blocks: [64]) == input)
  }

  @Test func `if too many messages arrive, a note-off still arrives`() throws {
    let node = CopyNode(.exactly(frameCount: 480), host: 64)
    let input = try #require(node.eventInput)
    for _ in 0 ..< 4_000 { input.function(input.context, 0, [0xb0, 1, 100], 3) }
    input.function(input.context, 1, [0x80, 77, 0], 3)
    _ = render(node, Self.signal(480), frames: 480, blocks: [64])
    let sent = try #require(node.eventOutput)
    // The last frame of the block has arrived, so the messages of its first frame are due.
    #expect(sent.pointee.count == 0 || sent.pointee.frame(at: 0) == 31)
    var last: UInt8 = 0
    _ = render(node, Self.signal(64), frames: 64, blocks: [64])
    for index in 0 ..< sent.pointee.count { last = sent.pointee.message(at: index)[1] }
    #expect(last == 77)
  }

  @Test func `a reset drops waiting events`() throws {
    let node = CopyNode(.exactly(frameCount: 100), host: 10)
    let input = try #require(node.eventInput)
    input.function(input.context, 0, [0x90, 60, 1], 3)
    _ = render(node, Self.signal(50), frames: 50, blocks: [10])
    node.reset()
    #expect(render(node, Self.signal(90), frames: 90, blocks: [10])[0].allSatisfy { $0 == 0 })
    #expect(node.state.pointee.lengths.isEmpty)
    _ = render(node, Self.signal(200), frames: 200, blocks: [10])
    let count = node.eventOutput?.pointee.count
    #expect(count == 0)
  }
}

extension BlockConstraint {
  /// Whether a plugin with these requirements accepts a block of this length.
  fileprivate func allows(_ frameCount: Int) -> Bool {
    switch self {
    case .exactly(let exact): frameCount == exact
    case .multiple(of: let factor): frameCount % factor == 0
    case .powerOfTwo(let longest): frameCount <= longest && frameCount & (frameCount - 1) == 0
    }
  }

  /// Whether such blocks add no latency.
  fileprivate func isFree(_ host: Int, _ isConstant: Bool) -> Bool {
    if case .powerOfTwo = self { return true }
    return frameCount == 1 || (isConstant && host % frameCount == 0)
  }
}
