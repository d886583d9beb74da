// LV2BlockTests.swift: tests of LV2BlockLengths.swift and of the block lengths of nodes. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import LV2Fixtures
import PluginModel
import RealtimeKit
import Testing

@testable import LV2Host

/// The fixture with plugins that require certain blocks, built once.
private let bundle = Result { try BundleDirectory(["block_lengths"]) }

/// The record of a plugin of the fixture.
private struct WitnessFixture {
  let node: LV2Node
  var breaches: Float { node.readout(0) }
  var lengths: ClosedRange<Float> { node.readout(1) ... node.readout(2) }
  var features: Float { node.readout(3) }
  var reportedFrames: Float { node.readout(4) }

  init(_ name: String, maximum: Int, isConstant: Bool) throws {
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:block_lengths:\(name)", inBundle: bundle.get().bundle("block_lengths"))
    node = try LV2Node(
      plugin,
      NodeConfiguration(
        sampleRateHz: 48_000, maximumFrameCount: maximum, isOffline: true,
        hasConstantBlocks: isConstant))
    try node.activate()
  }

  /// Renders a ramp, and returns the output without its latency.
  func pass(_ frames: Int, blocks: [Int]) -> [Float] {
    let input = (0 ..< frames).map { Float($0 + 1) }
    return render(node, [input], frames: frames, blocks: blocks)[0]
  }
}

/// The input of `pass`, delayed.
private func ramp(_ frames: Int, late: Int) -> [Float] {
  Array(
    ([Float](repeating: 0, count: late) + (0 ..< frames).map { Float($0 + 1) }).prefix(frames))
}

@Suite struct `Block lengths of LV2 plugins` {
  /// A plugin, the host's block, and the expected latency, runs and features.
  struct Case: CustomTestStringConvertible {
    var name: String
    var block: Int
    var isConstant = true
    var delay = 0
    var runs: ClosedRange<Float>
    /// 1 for fixed, 2 for a power of two, 4 for coarse.
    var features: Float
    var testDescription: String { "\(name) \(block)\(isConstant ? "" : " or less")" }
  }

  @Test(arguments: [
    // No feature is offered if none is requested.
    Case(name: "any", block: 480, runs: 480 ... 480, features: 4),
    Case(name: "any", block: 480, isConstant: false, runs: 480 ... 480, features: 4),
    // Offered if it has no cost.
    Case(name: "would", block: 480, runs: 480 ... 480, features: 5),
    Case(name: "would", block: 512, runs: 512 ... 512, features: 7),
    Case(name: "would", block: 512, isConstant: false, runs: 512 ... 512, features: 4),
    // Required: offered in any case, without latency if possible.
    Case(name: "fixed", block: 480, runs: 480 ... 480, features: 5),
    Case(name: "fixed", block: 480, isConstant: false, delay: 479, runs: 480 ... 480, features: 5),
    Case(name: "fixed", block: 256, isConstant: false, delay: 255, runs: 256 ... 256, features: 7),
    Case(name: "power", block: 480, runs: 32 ... 256, features: 6),
    Case(name: "power", block: 512, runs: 512 ... 512, features: 6),
    Case(name: "power", block: 441, delay: 255, runs: 256 ... 256, features: 7),
    Case(name: "power", block: 480, isConstant: false, delay: 255, runs: 256 ... 256, features: 7),
    Case(name: "power", block: 5, isConstant: false, delay: 15, runs: 16 ... 16, features: 7),
    Case(name: "both", block: 480, runs: 32 ... 32, features: 7),
    Case(name: "both", block: 512, runs: 512 ... 512, features: 7),
    Case(name: "both", block: 441, delay: 255, runs: 256 ... 256, features: 7),
  ])
  func `a plugin gets block lengths that it requires or can use, within all declared limits`(
    expected: Case
  ) throws { try pass(expected) }

  private func pass(_ expected: Case) throws {
    let witness = try WitnessFixture(
      expected.name, maximum: expected.block, isConstant: expected.isConstant)
    #expect(witness.node.latencyFrames == expected.delay)
    let output = witness.pass(3_000 / expected.block * expected.block, blocks: [expected.block])
    #expect(output == ramp(output.count, late: expected.delay))
    #expect(witness.breaches == 0)
    #expect(witness.lengths == expected.runs)
    #expect(witness.features == expected.features)
  }

  @Test(arguments: ["fixed", "power", "both", "would"])
  func `the declared limits hold when the host's blocks change, and the latency is reported`(
    name: String
  ) throws {
    let witness = try WitnessFixture(name, maximum: 512, isConstant: true)
    let before = witness.pass(1_024, blocks: [512])
    #expect(before == ramp(1_024, late: 0))
    #expect(witness.node.latencyFrames == 0)
    let after = witness.pass(6_000, blocks: [96, 500, 1, 512])
    let delay = name == "power" ? 0 : 511
    #expect(witness.node.latencyFrames == delay)
    #expect(after == ramp(6_000, late: delay))
    #expect(witness.breaches == 0)
  }

  @Test func `after a reset the latency is zero`() throws {
    let witness = try WitnessFixture("fixed", maximum: 64, isConstant: true)
    _ = witness.pass(100, blocks: [50])
    witness.node.reset()
    #expect(witness.node.latencyFrames == 0)
    #expect(witness.pass(128, blocks: [64]) == ramp(128, late: 0))
  }

  @Test(arguments: ["fixed", "power", "any"], [[512], [480], [1], [100, 7, 300]])
  func `MIDI in and out is at its frame, delayed with the audio`(name: String, blocks: [Int]) throws
  {
    let witness = try WitnessFixture(name, maximum: 512, isConstant: false)
    let input = try #require(witness.node.eventInput)
    let sent = try #require(witness.node.eventOutput)
    let frames = [0, 1, 1, 63, 64, 255, 256, 511, 512, 700, 1_023, 1_024, 2_000]
    var expected = [Float](repeating: 0, count: 4_000)
    for (index, frame) in frames.enumerated() {
      expected[frame + witness.node.latencyFrames] += Float(index + 1)
    }
    var answered = [Float](repeating: 0, count: 4_000)
    var start = 0
    func collect() {
      for index in 0 ..< sent.pointee.count {
        let frame = start + Int(sent.pointee.frame(at: index))
        answered[frame] += Float(sent.pointee.message(at: index)[1])
      }
    }
    var turn = 0
    let output = render(
      witness.node, [[Float](repeating: 0, count: 4_000)], frames: 4_000, blocks: blocks
    ) { done in
      if done > 0 { collect() }
      start = done
      let length = blocks[turn % blocks.count]
      turn += 1
      for (index, frame) in frames.enumerated() where done ..< done + length ~= frame {
        let bytes: [UInt8] = [0x90, UInt8(index + 1), 100]
        input.function(input.context, UInt32(frame - done), bytes, 3)
      }
    }
    collect()
    #expect(output[1] == expected)
    #expect(answered == expected)
    #expect(witness.breaches == 0)
  }

  @Test func `a plugin with a block length option gets a new length`() throws {
    let witness = try WitnessFixture("any", maximum: 512, isConstant: true)
    #expect(witness.node.blockLengthChanged(to: 128))
    _ = witness.pass(256, blocks: [128])
    #expect(witness.reportedFrames == 128)
    #expect(witness.breaches == 0)
    // With a fixed length it receives no other.
    let fixed = try WitnessFixture("fixed", maximum: 512, isConstant: true)
    #expect(!fixed.node.blockLengthChanged(to: 128))
    _ = fixed.pass(512, blocks: [128])
    #expect(fixed.reportedFrames == 0)
  }

  @Test(arguments: [
    Case(name: "stubborn", block: 48, delay: 63, runs: 64 ... 64, features: 7),
    Case(name: "stubborn", block: 64, runs: 64 ... 64, features: 4),
    // Lengths other than powers of two are split or collected.
    Case(name: "stubborn", block: 960, runs: 64 ... 64, features: 7),
    Case(name: "stubborn", block: 480, delay: 255, runs: 256 ... 256, features: 7),
  ])
  func `a plugin that refuses an undeclared block length gets another, with latency if needed`(
    expected: Case
  ) throws { try pass(expected) }

  @Test(arguments: [
    // Its data allow 60 to 600.
    Case(name: "limited", block: 48, delay: 63, runs: 64 ... 64, features: 7),
    Case(name: "limited", block: 256, runs: 256 ... 256, features: 7),
    Case(name: "limited", block: 960, runs: 64 ... 64, features: 7),
    Case(name: "limited", block: 480, delay: 255, runs: 256 ... 256, features: 7),
    Case(name: "limited", block: 1_024, runs: 512 ... 512, features: 7),
    Case(
      name: "limited", block: 256, isConstant: false, delay: 255, runs: 256 ... 256, features: 7),
  ])
  func `a plugin with limits gets one power of two within them`(expected: Case) throws {
    try pass(expected)
  }
}
