// BlockTests.swift: the block lengths of a module, and its output. SPDX-License-Identifier: MIT

import FixtureSupport
import PluginModel
import Testing

@testable import ModuleHost

/// The lengths of the blocks that a module rendered, from its output on channel 1.
private func lengths(_ written: [Float]) -> [Int] {
  var lengths: [Int] = []
  var frame = 0
  while frame < written.count, written[frame] > 0 {
    lengths.append(Int(written[frame]))
    frame += Int(written[frame])
  }
  return lengths
}

@Suite struct BlockTests {
  @Test(arguments: [
    ModuleRequirements.Block.fixed(frameCount: 480), .fixed(frameCount: 1), .fixed(frameCount: 7),
    .multiple(of: 64), .maximum(frameCount: 512), .maximum(frameCount: 1), .any,
  ])
  func `the output is the input plus the latency, for every block length of the host`(
    block: ModuleRequirements.Block
  ) throws {
    let input = ramp(2_500)
    for hostBlock in 1 ... 1_000 {
      let node = try instance(of: "blocks", manifest(outputs: 2, block: block))
      let output = render(node, [input], frames: input.count, blocks: [hostBlock])[0]
      let late = [Float](repeating: 0, count: node.latencyFrames)
      guard output != Array((late + input).prefix(input.count)) else { continue }
      Issue.record("blocks of \(hostBlock) frames break \(block)")
      return
    }
  }

  @Test func `the length of blocks makes no difference`() throws {
    let input = ramp(5_000)
    for block: ModuleRequirements.Block in [.fixed(frameCount: 480), .maximum(frameCount: 100)] {
      let even = try instance(of: "blocks", manifest(outputs: 2, block: block))
      let uneven = try instance(of: "blocks", manifest(outputs: 2, block: block))
      let expected = render(even, [input], frames: 5_000, blocks: [480])[0]
      let mixed = render(uneven, [input], frames: 5_000, blocks: [1, 1_024, 3, 479, 481, 64])[0]
      #expect(mixed == expected)
    }
  }

  @Test(arguments: [1, 63, 64, 479, 480, 481, 960, 1_000])
  func `a fixed block is the only length that the module gets`(hostBlock: Int) throws {
    for length in [480, 64] {
      let block: ModuleRequirements.Block =
        length == 480 ? .fixed(frameCount: 480) : .multiple(of: 64)
      let node = try instance(of: "blocks", manifest(outputs: 2, block: block))
      #expect(node.latencyFrames == length - 1)
      let output = render(node, [ramp(4_000)], frames: 4_000, blocks: [hostBlock])
      let given = Set(lengths(Array(output[1].dropFirst(length - 1))))
      #expect(given == [length])
    }
  }

  @Test func `a maximum splits longer blocks and does not change shorter ones`() throws {
    let node = try instance(
      of: "blocks", manifest(outputs: 2, block: .maximum(frameCount: 512)), maximum: 2_000)
    #expect(node.latencyFrames == 0)
    let output = render(node, [ramp(2_300)], frames: 2_300, blocks: [1_300, 512, 488])
    #expect(lengths(output[1]) == [512, 512, 276, 512, 488])
  }

  @Test func `a module for any length gets the host's blocks`() throws {
    let node = try instance(of: "blocks", manifest(outputs: 2))
    let output = render(node, [ramp(1_000)], frames: 1_000, blocks: [1, 300, 699])
    #expect(lengths(output[1]) == [1, 300, 699])
  }

  @Test(arguments: [1, 3, 5, 8, 1_000])
  func `re-blocking is correct if output and input share memory`(hostBlock: Int) throws {
    let plugin = manifest(inputs: 2, outputs: 2, block: .fixed(frameCount: 5))
    let input = [ramp(1_000), ramp(1_000).map { -$0 }]
    let separate = try render(
      instance(of: "blocks", plugin), input, frames: 1_000, blocks: [hostBlock])
    let node = try instance(of: "blocks", plugin)
    let shared = render(node, input, frames: 1_000, blocks: [hostBlock], inPlace: true)
    #expect(shared == separate)
  }

  @Test func `the module gets shared buffers, also when a maximum splits the block`() throws {
    for block: ModuleRequirements.Block in [.any, .maximum(frameCount: 3)] {
      let node = try instance(of: "in_place", manifest(block: block, inPlace: true))
      let output = render(node, [ramp(10)], frames: 10, blocks: [10], inPlace: true)[0]
      #expect(output == ramp(10).map { $0 + 101 })
    }
  }

  @Test func `reset clears the samples that re-blocking stores`() throws {
    let node = try instance(of: "blocks", manifest(outputs: 2, block: .fixed(frameCount: 10)))
    _ = render(node, [ramp(25)], frames: 25, blocks: [25])
    node.reset()
    let output = render(node, [ramp(25)], frames: 25, blocks: [25])[0]
    #expect(output == Array(([Float](repeating: 0, count: 9) + ramp(25)).prefix(25)))
  }
}
