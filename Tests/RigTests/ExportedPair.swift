// ExportedPair.swift: a module and its export. SPDX-License-Identifier: MIT

import FixtureSupport
import PluginModel
import RigTestSupport
import Testing

@testable import LV2Export
@testable import PluginLoading

/// A module as a node of this host, and as an LV2 plugin in it.
struct ExportedPair {
  let native: any Node
  let exported: any Node
  private let workshops: [RigTestEnvironment]

  init(_ workshop: RigTestEnvironment, _ name: String, _ configuration: NodeConfiguration) throws {
    let plugin = try workshop.library.find(name)
    let product = try ModuleExport.writeLV2(
      plugin, to: workshop.path + "/out", uri: nil, replaces: true,
      shim: RigTestEnvironment.product("liblv2-shim.so"))
    let other = try RigTestEnvironment(modules: [], bundlePaths: [product.bundle])
    let found = try other.library.find(product.uri)
    try other.library.preflight([found])
    native = try workshop.library.makeNode(plugin, configuration)
    exported = try other.library.makeNode(found, configuration)
    workshops = [workshop, other]
  }

  /// Renders a node with a file, with parameters set by index before it starts and during
  /// rendering, and with notes.
  private func output(
    of node: any Node, _ input: [[Float]], _ frames: Int, _ blocks: [Int],
    _ start: [Int: Float], _ change: [Int: Float], _ notes: [Int: [UInt8]], _ file: String?
  ) throws -> [[Float]] {
    if let file { try (node as? any PropertyNode)?.setProperty(0, to: .path(file)) }
    for (index, value) in start { node.setParameter(index, to: value) }
    try node.activate()
    defer { node.deactivate() }
    var turn = 0
    return render(node, input, frames: frames, blocks: blocks) { done in
      if done > frames / 3 { for (index, value) in change { node.setParameter(index, to: value) } }
      let length = min(blocks[turn % blocks.count], frames - done)
      turn += 1
      guard let events = node.eventInput else { return }
      for (frame, bytes) in notes.sorted(by: { $0.key < $1.key })
      where done ..< done + length ~= frame {
        events.function(events.context, UInt32(frame - done), bytes, UInt32(bytes.count))
      }
    }
  }

  /// Whether both have the same output bit for bit, other than silence.
  func agree(
    frames: Int = 12_000, blocks: [Int], start: [Int: Float] = [:], change: [Int: Float] = [:],
    notes: [Int: [UInt8]] = [:], file: String? = nil
  ) throws -> Bool {
    var noise = Noise(seed: 5)
    let input = (0 ..< native.audioInputCount).map { _ in noise.take(frames) }
    let outputs = try [native, exported].map {
      try output(of: $0, input, frames, blocks, start, change, notes, file)
        .map { $0.map(\.bitPattern) }
    }
    #expect(native.latencyFrames == exported.latencyFrames)
    #expect(outputs[0].contains { $0.contains { $0 != 0 } })
    return outputs[0] == outputs[1]
  }
}
