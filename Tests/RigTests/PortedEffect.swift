// PortedEffect.swift: an instance of a source that renders whole signals. SPDX-License-Identifier: MIT

import PluginLoading
import PluginModel

/// One instance of a port from the fixtures, at 48 kHz and in blocks of at most 256 frames.
final class PortedEffect {
  static let longestBlock = 256

  let node: any Node

  /// Creates an instance with these values, in the order of its parameters.
  init(_ library: PluginLibrary, _ plugin: PluginDescription, _ values: [Float]) throws {
    node = try library.makeNode(
      plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: Self.longestBlock))
    for (index, value) in values.enumerated() { node.setParameter(index, to: value) }
    try node.activate()
  }

  deinit { node.deactivate() }

  /// Renders channels of equal length, in blocks of the given length.
  func render(_ inputs: [[Float]], block: Int) -> [[Float]] {
    let rowCount = node.audioInputCount + node.audioOutputCount
    // Samples that are not written keep their value, and the test finds them.
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: rowCount * block)
    samples.initialize(repeating: .nan, count: rowCount * block)
    defer { samples.deallocate() }
    let rows = (0 ..< rowCount).map { samples + $0 * block }
    var outputs = [[Float]](repeating: [], count: node.audioOutputCount)
    for start in stride(from: 0, to: inputs[0].count, by: block) {
      let count = min(block, inputs[0].count - start)
      for (channel, input) in inputs.enumerated() {
        for frame in 0 ..< count { rows[channel][frame] = input[start + frame] }
      }
      rows.withUnsafeBufferPointer { rows in
        guard let base = rows.baseAddress else { return }
        node.step.function(node.step.context, base, UInt32(count))
      }
      for channel in outputs.indices {
        let row = UnsafeBufferPointer(start: rows[inputs.count + channel], count: count)
        outputs[channel] += row
      }
    }
    return outputs
  }
}

/// A signal for all cases: noise from a few seeds, alternately loud and soft.
func portingSignal(channelCount: Int, frameCount: Int) -> [[Float]] {
  var state: UInt32 = 1
  return (0 ..< channelCount).map { _ in
    (0 ..< frameCount).map { frame in
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Float(Int32(bitPattern: state) >> 8) / Float(1 << 23) * 0.8
      return (frame / 480) % 5 == 0 ? noise : noise * 0.05
    }
  }
}
