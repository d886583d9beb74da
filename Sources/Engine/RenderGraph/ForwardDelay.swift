// ForwardDelay.swift: a delayed connection that closes no loop. SPDX-License-Identifier: MIT

import PluginModel

/// Delays one channel by an exact number of frames, which may be less than a block.
///
/// It reports no latency, because the delay is intended and must not be compensated.
final class ForwardDelay: Node {
  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames = 0
  let canRunInPlace = false
  private let line: DelayLine

  /// Creates a delay of `frameCount` frames, at least 1, filled with silence. [main]
  init(frameCount: Int) {
    line = DelayLine(frameCount: frameCount)
    reset()
  }

  var step: NodeStep {
    NodeStep(function: delayStep, context: UnsafeMutableRawPointer(line.pointer))
  }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}

  /// Fills the delay with silence. [main, not rendering]
  func reset() {
    line.pointer.pointee.ring.update(repeating: 0, count: line.pointer.pointee.frameCount)
  }
}
