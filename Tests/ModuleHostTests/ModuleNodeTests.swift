// ModuleNodeTests.swift: the life cycle of an instance. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import Testing

@testable import ModuleHost

@Suite struct ModuleNodeTests {
  @Test func `a module with only process works without a state`() throws {
    let node = try instance(of: "process_only")
    #expect(render(node, [ramp(100)], frames: 100, blocks: [33])[0] == ramp(100).map { $0 / 2 })
    node.reset()
    #expect(node.latencyFrames == 0)
    #expect(node.save() == nil)
  }

  @Test func `a create that returns NULL refuses the instance and is not destroyed`() throws {
    let path = try Fixture.copy("create_fails")
    let library = try ModuleLibrary(path: path)
    let configuration = NodeConfiguration(sampleRateHz: 44_100, maximumFrameCount: 256)
    let expected = ModuleError.createFailed(
      ModuleError.Creation(
        name: "Test", sampleRateHz: 44_100, maximumFrameCount: 256,
        requirements: manifest().module ?? ModuleRequirements(), possibleRateHz: nil,
        possibleFrameCount: nil))
    #expect(throws: expected) { try ModuleNode(library, manifest(), configuration) }
    #expect(
      expected.description == "Test: `create` returned NULL at 44100 Hz with blocks of up to 256"
        + " frames. If it needs a certain rate or block length, declare that in its manifest, e.g."
        + " `rate: 48000` or `block: {fixed: 480}`.")
    #expect(try variable("destroyed_count", in: path, as: UInt32.self) == 0)
    withExtendedLifetime(library) {}
  }

  @Test func `an invalid latency refuses the instance, which is destroyed`() throws {
    let path = try Fixture.copy("endless_latency")
    let library = try ModuleLibrary(path: path)
    let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 256)
    let expected = ModuleError.latencyTooLong(
      name: "Test", frameCount: 4_294_967_295, maximumFrameCount: 480_000)
    #expect(throws: expected) { try ModuleNode(library, manifest(), configuration) }
    #expect(
      expected.description == "Test: `latency` returned 4294967295 frames. The limit is"
        + " 480000 frames (10 s).")
    #expect(try variable("destroyed_count", in: path, as: UInt32.self) == 1)
    withExtendedLifetime(library) {}
  }

  @Test func `instances share a library, and each is destroyed once`() throws {
    let path = try Fixture.copy("counted")
    let library = try ModuleLibrary(path: path)
    let configuration = NodeConfiguration(sampleRateHz: 96_000, maximumFrameCount: 77)
    var nodes = try (0 ..< 20).map { _ in try ModuleNode(library, manifest(), configuration) }
    for (index, node) in nodes.enumerated() {
      #expect(render(node, [[0]], frames: 1, blocks: [1]) == [[Float(index + 1)]])
    }
    #expect(try variable("last_sample_rate_hz", in: path, as: Double.self) == 96_000)
    #expect(try variable("last_maximum_frame_count", in: path, as: UInt32.self) == 77)
    #expect(try variable("destroyed_count", in: path, as: UInt32.self) == 0)
    nodes.removeLast(5)
    #expect(try variable("destroyed_count", in: path, as: UInt32.self) == 5)
    nodes = []
    #expect(try variable("created_count", in: path, as: UInt32.self) == 20)
    #expect(try variable("destroyed_count", in: path, as: UInt32.self) == 20)
    withExtendedLifetime(library) {}
  }

  @Test func `a node keeps its library loaded`() throws {
    let path = try Fixture.copy("counted")
    let node = try ModuleNode(
      ModuleLibrary(path: path), manifest(),
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 8))
    #expect(render(node, [[0]], frames: 1, blocks: [1]) == [[1]])
    node.reset()
    #expect(try variable("reset_count", in: path, as: UInt32.self) == 1)
  }

  @Test(arguments: [
    (ModuleRequirements.Block.any, 512), (.fixed(frameCount: 480), 480), (.multiple(of: 64), 64),
    (.maximum(frameCount: 128), 128), (.maximum(frameCount: 4_096), 512),
  ])
  func `create gets the longest block length`(
    block: ModuleRequirements.Block, expected: Int
  ) throws {
    let path = try Fixture.copy("counted")
    let node = try ModuleNode(
      ModuleLibrary(path: path), manifest(block: block),
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 512))
    #expect(try Int(variable("last_maximum_frame_count", in: path, as: UInt32.self)) == expected)
    withExtendedLifetime(node) {}
  }

  @Test func `a module without reset keeps its state, and the host's own buffers are reset`() throws
  {
    let plugin = manifest(block: .fixed(frameCount: 4))
    let node = try instance(of: "no_reset", plugin)
    let input = [[Float](repeating: 0, count: 12)]
    #expect(render(node, input, frames: 6, blocks: [6]) == [[0, 0, 0, 1, 2, 3]])
    node.reset()
    #expect(render(node, input, frames: 5, blocks: [5]) == [[0, 0, 0, 5, 6]])
  }

  @Test func `the latency is the module's and that of re-blocking`() throws {
    #expect(try instance(of: "latency").latencyFrames == 100)
    let blocked = try instance(of: "latency", manifest(block: .fixed(frameCount: 480)))
    #expect(blocked.latencyFrames == 579)
    for node in [try instance(of: "latency"), blocked] {
      let input = ramp(2_000)
      let late = [Float](repeating: 0, count: node.latencyFrames) + input
      #expect(
        render(node, [input], frames: 2_000, blocks: [7, 300])[0] == Array(late.prefix(2_000)))
    }
  }

  @Test func `in-place processing follows the manifest, and re-blocking makes it safe`() throws {
    let separate = try instance(of: "in_place")
    #expect(!separate.canRunInPlace)
    #expect(render(separate, [[1, 2]], frames: 2, blocks: [2]) == [[2, 3]])
    let same = try instance(of: "in_place", manifest(inPlace: true))
    #expect(same.canRunInPlace)
    let blocked = try instance(of: "blocks", manifest(outputs: 2, block: .fixed(frameCount: 5)))
    #expect(blocked.canRunInPlace)
  }
}

@Suite struct ModuleStateKeepingTests {
  private let input = [[Float](repeating: 0, count: 8)]

  @Test func `another instance with a saved state has the same output`() throws {
    let first = try instance(of: "keeper")
    _ = render(first, input, frames: 5, blocks: [5])
    let bytes = try #require(first.save())
    #expect(bytes.count == 8)
    let second = try instance(of: "keeper")
    try second.restore(bytes)
    #expect(render(second, input, frames: 3, blocks: [3]) == [[5, 6, 7]])
    #expect(render(first, input, frames: 3, blocks: [3]) == [[5, 6, 7]])
  }

  @Test(arguments: [[], [1], [0, 0, 0, 0, 0, 0, 0, 0], [UInt8](repeating: 9, count: 4_000)])
  func `a state that the module refuses is an error, and changes nothing`(bytes: [UInt8]) throws {
    let node = try instance(of: "keeper")
    _ = render(node, input, frames: 2, blocks: [2])
    let expected = ModuleError.stateRefused(name: "Test")
    #expect(throws: expected) { try node.restore(bytes) }
    #expect(
      expected.description == "Test: `restore` rejected the saved state. Another version"
        + " may have written it.")
    #expect(render(node, input, frames: 2, blocks: [2]) == [[2, 3]])
  }

  @Test func `an empty state is restored`() throws {
    let node = try instance(of: "empty_state")
    let bytes = node.save()
    #expect(bytes == [])
    try node.restore(bytes ?? [1])
  }

  @Test func `a module without restore accepts no state, one without save has none`() throws {
    let node = try instance(of: "process_only")
    #expect(node.save() == nil)
    #expect(throws: ModuleError.stateRefused(name: "Test")) { try node.restore([1]) }
  }

  @Test func `a partial state is refused`() throws {
    let node = try instance(of: "fickle_state")
    #expect(node.save() == nil)
    let statement = ModuleError.stateNotKept(
      path: "/nowhere", reason: "Test needs more than 1 GB, or more space with each call of `save`")
    #expect(throws: statement) { try node.saveState(to: "/nowhere") }
  }
}
