// SleepyNode.swift: a node that sleeps during rendering. SPDX-License-Identifier: MIT

import Glibc
import PluginModel

/// Copies a channel, and sleeps in the middle of each block.
final class SleepyNode: Node {
  private let microseconds: UnsafeMutablePointer<UInt32>

  /// One that is awake. [main]
  init() {
    microseconds = .allocate(capacity: 1)
    microseconds.initialize(to: 0)
  }

  deinit { microseconds.deallocate() }

  /// Makes it sleep for this time in each following block. [main, between blocks]
  func sleep(microseconds: UInt32) { self.microseconds.pointee = microseconds }

  var audioInputCount: Int { 1 }
  var audioOutputCount: Int { 1 }
  var latencyFrames: Int { 0 }
  var canRunInPlace: Bool { false }
  var step: NodeStep {
    NodeStep(function: sleepyNodeStep, context: UnsafeMutableRawPointer(microseconds))
  }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() throws {}
  func deactivate() {}
  func reset() {}
}

@c(test_sleepy_node_step)
private func sleepyNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let microseconds = context.load(as: UInt32.self)
  if microseconds > 0 { usleep(microseconds) }
  for frame in 0 ..< Int(frameCount) { buffers[1][frame] = buffers[0][frame] }
}
