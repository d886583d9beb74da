// LV2Preflight.swift: the preflight of an LV2 plugin. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel

/// Loads, runs and destroys a plugin.
///
/// Call it in a helper process.
package enum LV2Preflight {
  /// The number of rendered frames, with at least a few blocks.
  private static let silentFrameCount = 2_048
  private static let noisyFrameCount = 4_096
  private static let minimumBlockCount = 2

  /// The linear level above which output is not silent: -90 dBFS.
  private static let quiet: Float = 3.16e-5

  /// Loads, runs and destroys an instance with blocks of `frameCount` frames, and reports each stage.
  /// [any one thread]
  @discardableResult
  package static func run(
    _ plugin: LV2Plugin, sampleRateHz: Double = LV2Plugin.nominalRateHz, frameCount: Int = 512,
    stage: (LV2PreflightStage) -> Void
  ) throws -> Bool {
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
    let generatesAudio = node.map { render($0, transport, frameCount) } ?? false
    stage(.destroy)
    node?.deactivate()
    node = nil
    return generatesAudio
  }

  private static func render(
    _ node: LV2Node, _ transport: Transport, _ frameCount: Int
  ) -> Bool {
    let silentBlockCount = max(minimumBlockCount, silentFrameCount / frameCount)
    let noisyBlockCount = max(minimumBlockCount, noisyFrameCount / frameCount)
    let inputs = 0 ..< node.audioInputCount
    let outputs = node.audioInputCount ..< node.audioInputCount + node.audioOutputCount
    let samples = (0 ..< outputs.upperBound).map { _ in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: frameCount)
      row.initialize(repeating: 0, count: frameCount)
      return row
    }
    defer { samples.forEach { $0.deallocate() } }
    var generatesAudio = false
    // A generator with a fixed seed, so that faults are reproducible.
    var seed: UInt32 = 1
    for block in 0 ..< silentBlockCount + noisyBlockCount {
      let isSilent = block < silentBlockCount
      for input in inputs {
        for frame in 0 ..< frameCount {
          seed = seed &* 1_664_525 &+ 1_013_904_223
          let sample = isSilent ? 0 : Float(Int32(bitPattern: seed)) / 4_294_967_296
          samples[input][frame] = sample
        }
      }
      advanceTransport(transport.pointer, frameCount)
      ForeignCode.call(ForeignCode.Owner(node.description.name), .quick("run")) {
        node.step.function(node.step.context, samples, UInt32(frameCount))
      }
      // Initial transients of a plugin decay in the first blocks.
      guard isSilent, block >= silentBlockCount / 2 else { continue }
      for output in outputs {
        let row = UnsafeBufferPointer(start: samples[output], count: frameCount)
        generatesAudio = generatesAudio || row.contains { abs($0) > quiet }
      }
    }
    return generatesAudio
  }
}
