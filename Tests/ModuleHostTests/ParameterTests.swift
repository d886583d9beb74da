// ParameterTests.swift: the parameter values that a module gets. SPDX-License-Identifier: MIT

import FixtureSupport
import PluginModel
import Testing

@testable import ModuleHost

private let three = [
  Parameter(symbol: "a", name: "A", minimum: -1, defaultValue: 0.25, maximum: 1),
  Parameter(symbol: "b", name: "B", minimum: 10, defaultValue: 20, maximum: 30, scale: .integer),
  Parameter(symbol: "c", name: "C", minimum: 0, defaultValue: 1, maximum: 1, scale: .toggle),
]

private func node(
  smoothing: [Double] = [], parameters: [Parameter] = three,
  block: ModuleRequirements.Block = .any
) throws -> ModuleNode {
  try instance(
    of: "parameters",
    manifest(
      inputs: 0, outputs: 3, parameters: parameters, block: block, smoothingSeconds: smoothing))
}

@Suite struct ParameterTests {
  @Test func `values are in manifest order, first the defaults, then the set ones`() throws {
    let node = try node()
    #expect(render(node, frames: 1, blocks: [1]) == [[0.25], [20], [1]])
    node.setParameter(1, to: 11)
    node.setParameter(0, to: -0.5)
    #expect(render(node, frames: 1, blocks: [1]) == [[-0.5], [11], [1]])
    #expect((0 ..< 3).map(node.parameter) == [-0.5, 11, 1])
  }

  @Test func `values are clamped before the module gets them`() throws {
    let node = try node()
    for (index, value) in [Float.infinity, -1e9, 0.4].enumerated() {
      node.setParameter(index, to: value)
    }
    #expect(render(node, frames: 1, blocks: [1]) == [[1], [10], [0]])
    for index in 0 ..< 3 { node.setParameter(index, to: .nan) }
    #expect(render(node, frames: 1, blocks: [1]) == [[0.25], [20], [1]])
    node.setParameter(1, to: 12.6)
    #expect(render(node, frames: 1, blocks: [1])[1] == [13])
  }

  @Test func `without smoothing a change is complete in the next block`() throws {
    let node = try node()
    let output = render(node, frames: 200, blocks: [100]) { frame in
      if frame == 100 { node.setParameter(0, to: 1) }
    }
    #expect(
      output[0] == .init(repeating: 0.25, count: 100) + .init(repeating: 1, count: 100))
  }

  @Test(arguments: [ModuleRequirements.Block.any, .maximum(frameCount: 64)])
  func `a trigger lasts one call, and can be set again`(
    block: ModuleRequirements.Block
  ) throws {
    var parameters = three
    parameters[2].defaultValue = 0
    parameters[2].traits = .trigger
    let node = try node(parameters: parameters, block: block)
    let output = render(node, frames: 512, blocks: [64]) { frame in
      if frame == 128 || frame == 384 { node.setParameter(2, to: 1) }
    }[2]
    let once = [Float](repeating: 1, count: 64)
    let rest = [Float](repeating: 0, count: 128)
    #expect(output == rest + once + rest + rest.prefix(64) + once + rest.prefix(64))
    #expect(node.parameter(2) == 0)
  }

  @Test func `a smoothed change has its duration, in equal steps of 32 frames`() throws {
    let node = try node(smoothing: [0.02])
    let output = render(node, frames: 1_280, blocks: [128]) { frame in
      if frame == 128 { node.setParameter(0, to: 1) }
    }[0]
    // 20 ms at 48 kHz are 960 frames: 30 steps.
    for frame in output.indices {
      let steps = frame < 128 ? 0 : min(30, (frame - 128) / 32 + 1)
      #expect(abs(output[frame] - (0.25 + 0.75 * Float(steps) / 30)) < 1e-6)
    }
    #expect(output[128 + 29 * 32] == 1)
    #expect(output[128 + 29 * 32 - 1] < 1)
  }

  @Test(arguments: [(Float(0), Float(1)), (1, -1), (19_999.99, 20_000), (20_000, 19_999.985)])
  func `a ramp is monotonic and stays between its ends`(start: Float, end: Float) throws {
    let parameter = Parameter(
      symbol: "a", name: "A", minimum: min(start, end), defaultValue: start,
      maximum: max(start, end))
    for seconds in [0.001, 0.005_3, 0.02, 0.5, 3] {
      let node = try node(
        smoothing: [seconds], parameters: [parameter] + three.dropFirst())
      node.setParameter(0, to: end)
      let frames = Int(seconds * 48_000) + 64
      let output = render(node, frames: frames, blocks: [1_000])[0]
      let pairs = zip(output, output.dropFirst())
      #expect(pairs.allSatisfy { start < end ? $0 <= $1 : $0 >= $1 })
      #expect(output.allSatisfy { parameter.minimum ... parameter.maximum ~= $0 })
      #expect(output.last == end)
    }
  }

  @Test(arguments: [[1], [7], [32], [33], [1_000], [1, 999, 31, 13]])
  func `a ramp does not depend on the block lengths`(blocks: [Int]) throws {
    func output(_ cut: [Int], _ block: ModuleRequirements.Block) throws -> [Float] {
      let node = try node(smoothing: [0.01], block: block)
      // The change is between two steps of the grid.
      _ = render(node, frames: 45, blocks: [45])
      node.setParameter(0, to: -1)
      return render(node, frames: 1_000, blocks: cut)[0]
    }
    let whole = try output([500], .any)
    #expect(whole.last == -1)
    #expect(try output(blocks, .any) == whole)
    #expect(try output(blocks, .maximum(frameCount: 20)) == whole)
  }

  @Test(arguments: [8, 48, 64, 100, 480])
  func `a ramp has the same duration in blocks of a fixed length`(length: Int) throws {
    let node = try node(smoothing: [0.05], block: .fixed(frameCount: length))
    node.setParameter(0, to: 1)
    let output = render(node, frames: 6_000, blocks: [128])[0].dropFirst(length - 1)
    let arrival = try #require(output.firstIndex(of: 1)) - (length - 1)
    #expect(abs(arrival - 2_400) <= max(length, 32))
  }

  @Test func `a second change during a ramp starts from the current value`() throws {
    let node = try node(smoothing: [0.01])
    node.setParameter(0, to: 1)
    let first = render(node, frames: 160, blocks: [160])[0]
    node.setParameter(0, to: -1)
    let second = render(node, frames: 640, blocks: [160])[0]
    let last = try #require(first.last)
    #expect(abs(second[0] - last) <= (last + 1) / 15 + 1e-6)
    #expect(second.last == -1)
  }

  @Test func `whole numbers and switches are never ramped`() throws {
    let node = try node(smoothing: [0, 0.02, 0.02])
    node.setParameter(1, to: 30)
    node.setParameter(2, to: 0)
    let output = render(node, frames: 64, blocks: [64])
    #expect(Set(output[1]) == [30])
    #expect(Set(output[2]) == [0])
  }

  @Test func `activation and reset set the value at once`() throws {
    let node = try node(smoothing: [0.02])
    node.setParameter(0, to: 1)
    try node.activate()
    #expect(render(node, frames: 1, blocks: [1])[0] == [1])
    node.setParameter(0, to: -1)
    #expect(render(node, frames: 1, blocks: [1])[0][0] > 0.9)
    node.reset()
    #expect(render(node, frames: 1, blocks: [1])[0] == [-1])
  }
}

@Suite struct `A module's values with a frame` {
  private func give(_ node: ModuleNode, _ index: UInt32, _ value: Float, isJump: Bool) throws {
    let input = try #require(node.parameterInput)
    input.function(input.context, index, value, isJump)
  }

  @Test func `take effect from their frame on, and become the set values`() throws {
    let node = try node()
    _ = render(node, frames: 100, blocks: [100])
    try give(node, 0, 0.75, isJump: true)
    #expect(node.parameter(0) == 0.75)
    #expect(render(node, frames: 50, blocks: [50])[0].allSatisfy { $0 == 0.75 })
    try give(node, 99, 1, isJump: true)
    #expect(render(node, frames: 1, blocks: [1]) == [[0.75], [20], [1]])
  }

  @Test func `are smoothed at jumps, but not along a line`() throws {
    let node = try node(smoothing: [0.02, 0, 0])
    _ = render(node, frames: 64, blocks: [64])
    try give(node, 0, 0.3, isJump: false)
    #expect(render(node, frames: 64, blocks: [64])[0].allSatisfy { $0 == 0.3 })
    try give(node, 0, 1, isJump: true)
    let ramp = render(node, frames: 480, blocks: [480])[0]
    #expect(ramp[0] < 0.4 && ramp[479] > 0.5 && ramp[479] < 1)
    // The target changes during the ramp: the ramp continues to the new target without a
    // jump.
    try give(node, 0, 0.9, isJump: false)
    let rest = render(node, frames: 960, blocks: [960])[0]
    #expect(abs(rest[0] - ramp[479]) < 0.15)
    #expect(rest[959] == 0.9)
  }

  @Test func `hold the module, and leave the set value to others`() throws {
    let node = try node()
    let hold = try #require(node.parameterInput?.hold)
    let context = try #require(node.parameterInput?.context)
    node.setParameter(0, to: 1)
    hold.function(context, 0, 0.5, true)
    #expect(render(node, frames: 50, blocks: [50])[0].allSatisfy { $0 == 0.5 })
    #expect(hold.stored(context, 0) == 1 && node.parameter(0) == 1)
    hold.function(context, 0, 0, false)
    #expect(render(node, frames: 50, blocks: [50])[0].allSatisfy { $0 == 1 })
    hold.function(context, 99, 1, true)
    #expect(hold.stored(context, 99) == 0)
    #expect(render(node, frames: 1, blocks: [1]) == [[1], [20], [1]])
  }

  @Test func `hold the target of a ramp, which begins again afterwards`() throws {
    let node = try node(smoothing: [0.02, 0, 0])
    let hold = try #require(node.parameterInput?.hold)
    let context = try #require(node.parameterInput?.context)
    node.setParameter(0, to: 1)
    _ = render(node, frames: 480, blocks: [480])
    hold.function(context, 0, -1, true)
    #expect(abs(render(node, frames: 960, blocks: [960])[0][959] + 1) < 0.01)
    hold.function(context, 0, 0, false)
    let rise = render(node, frames: 960, blocks: [960])[0]
    #expect(rise[0] < -0.9 && rise[959] == 1)
  }
}
