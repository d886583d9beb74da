// ModulePreflight.swift: preflight of a native module. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
package import ModuleHost
package import PluginCatalogue
package import PluginModel
import Reblocking

/// Runs a module once through all calls of its life cycle.
package enum ModulePreflight {
  static func run(
    _ description: PluginDescription, at conditions: Preflight.Conditions,
    stage: (Preflight.Stage) -> Void
  ) throws -> Preflight.Traits {
    stage(.load)
    let library = try ModuleLibrary(path: description.library)
    stage(.create)
    var node: ModuleNode? = try self.node(library, description, conditions)
    // A module that rejects this audio file can accept another one.
    for index in description.properties.indices {
      try? node?.setProperty(index, to: .path("preflight"))
    }
    stage(.activate)
    try node?.activate()
    stage(.run)
    var traits: Preflight.Traits = []
    if let node {
      traits = render(node, longest: conditions.maximumFrameCount, isSilent: true)
      traits.formUnion(render(node, longest: conditions.maximumFrameCount))
    }
    node?.reset()
    stage(.destroy)
    node = nil
    traits.formUnion(Preflight.Traits(changesOf: description))
    return traits
  }

  /// Loads a module once, and returns a function that creates instances.
  static func maker(
    _ description: PluginDescription, _ conditions: Preflight.Conditions
  ) throws -> () throws -> any Node {
    let library = try ModuleLibrary(path: description.library)
    return {
      let node = try node(library, description, conditions)
      for index in description.properties.indices {
        try? node.setProperty(index, to: .path("preflight"))
      }
      return node
    }
  }

  /// Creates an instance whose audio files all contain noise.
  package static func node(
    _ description: PluginDescription, _ conditions: Preflight.Conditions
  ) throws -> ModuleNode {
    try node(ModuleLibrary(path: description.library), description, conditions)
  }

  private static func node(
    _ library: ModuleLibrary, _ description: PluginDescription, _ conditions: Preflight.Conditions
  ) throws -> ModuleNode {
    try ModuleNode(
      library, description,
      NodeConfiguration(
        sampleRateHz: conditions.sampleRateHz, maximumFrameCount: conditions.maximumFrameCount),
      readAudioFile: decay)
  }

  /// A quarter of a second of decaying stereo noise.
  private static func decay(_ path: String, _ sampleRateHz: Double) -> [[Float]] {
    let count = max(1, Int(sampleRateHz * 0.25))
    return (1 ... 2).map { channel in
      (0 ..< count).map { frame in
        let noise = Float((frame &* 7_919 &* channel) % 2_001 - 1_000) * 1e-3
        return noise * (1 - Float(frame) / Float(count))
      }
    }
  }

  /// The level above which the output is not silent, linear: -90 dBFS.
  private static let quiet: Float = 3.16e-5

  /// Renders a few blocks of silence or quiet noise, enough for the block length of the module.
  ///
  /// - Returns: the observed use of the buffers.
  @discardableResult
  static func render(_ node: ModuleNode, longest: Int, isSilent: Bool = false) -> Preflight.Traits {
    let few = [longest, 1, min(37, longest), longest, max(1, longest / 4)]
    let missing = 2 * node.adapterLatencyFrames + longest - few.reduce(0, +)
    let blocks = few + [Int](repeating: longest, count: max(0, missing) / longest)
    let count = node.audioInputCount + node.audioOutputCount
    // A copy of the inputs follows the buffers.
    let rows = unsafe (0 ..< max(1, count)).map { _ in
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: longest)
      unsafe samples.initialize(repeating: 0, count: longest)
      return unsafe samples
    }
    defer { unsafe rows.forEach { unsafe $0.deallocate() } }
    var traits: Preflight.Traits = []
    for (index, frames) in blocks.enumerated() {
      for input in 0 ..< node.audioInputCount {
        for frame in 0 ..< frames {
          let noise = Float((frame &* 7_919 &+ input &* 104_729) % 2_001 - 1_000) * 1e-4
          unsafe rows[input][frame] = isSilent ? 0 : noise
        }
      }
      ForeignCode.call(ForeignCode.Owner(node.plugin.name), .quick("process")) {
        unsafe node.step.function(node.step.context, rows, UInt32(frames))
      }
      // Transients of the start decay within the first blocks.
      guard isSilent, index > blocks.count / 2 else { continue }
      for output in node.audioInputCount ..< count
      where (0 ..< frames).contains(where: { unsafe abs(rows[output][$0]) > quiet }) {
        traits.insert(.generatesAudio)
      }
    }
    return traits
  }
}
