// LV2Trial.swift: a plugin taken through its whole life once. SPDX-License-Identifier: MIT

internal import PluginModel

/// Loads, runs and destroys a plugin, to see whether it survives; belongs in a child process.
package enum LV2Trial {
  /// How much is rendered, in frames; with long blocks a few of them.
  private static let silentFrameCount = 2_048
  private static let noisyFrameCount = 4_096
  private static let fewestBlockCount = 2

  /// Takes one instance from load to destruction, with blocks of `frameCount` frames, telling each stage
  /// as it begins. [any one thread]
  package static func run(
    _ plugin: LV2Plugin, sampleRateHz: Double = LV2Plugin.nominalRateHz, frameCount: Int = 512,
    stage: (LV2Stage) -> Void
  ) throws {
    let transport = Transport(sampleRateHz: sampleRateHz)
    var node: LV2Node? = try LV2Node(
      plugin,
      NodeConfiguration(
        sampleRateHz: sampleRateHz, maximumFrameCount: frameCount, isOffline: true,
        hasConstantBlocks: true, transport: transport),
      stage: stage)
    stage(.activate)
    try node?.activate()
    stage(.run)
    if let node { render(node, transport, frameCount) }
    stage(.destroy)
    node?.deactivate()
    node = nil
  }

  private static func render(_ node: LV2Node, _ transport: Transport, _ frameCount: Int) {
    let silentBlockCount = max(fewestBlockCount, silentFrameCount / frameCount)
    let noisyBlockCount = max(fewestBlockCount, noisyFrameCount / frameCount)
    let count = node.audioInputCount + node.audioOutputCount
    let samples = (0 ..< count).map { _ in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: frameCount)
      row.initialize(repeating: 0, count: frameCount)
      return row
    }
    defer { samples.forEach { $0.deallocate() } }
    let step = node.step
    // A small generator of fixed seed: a trial that fails must fail again.
    var seed: UInt32 = 1
    for block in 0 ..< silentBlockCount + noisyBlockCount {
      for row in samples.prefix(node.audioInputCount) where block >= silentBlockCount {
        for frame in 0 ..< frameCount {
          seed = seed &* 1_664_525 &+ 1_013_904_223
          row[frame] = Float(Int32(bitPattern: seed)) / 4_294_967_296
        }
      }
      advanceTransport(transport.pointer, frameCount)
      step.function(step.context, samples, UInt32(frameCount))
    }
  }
}
