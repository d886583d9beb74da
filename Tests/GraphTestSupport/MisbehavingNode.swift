// MisbehavingNode.swift: a node that violates rules, for tests of graphs. SPDX-License-Identifier: MIT

import Glibc
package import PluginModel

/// Copies one channel, and misbehaves in one way.
package final class MisbehavingNode: Node {
  /// The faults.
  package enum Fault {
    /// It adds a constant.
    case sounds(Float)
    /// It silences its own input.
    case writesInput
    /// It writes 1 to its input.
    case writesOne
    /// It leaves the rounding mode at "upwards".
    case rounds
  }

  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// Whether the graph treats it as a plugin.
  package var mayWriteInputs = false
  /// The result of a preflight.
  package var generatesAudio = false
  fileprivate let fault: Fault

  package init(_ fault: Fault) { self.fault = fault }

  package var step: NodeStep {
    NodeStep(function: misbehavingNodeStep, context: Unmanaged.passUnretained(self).toOpaque())
  }
  package func setParameter(_ index: Int, to value: Float) {}
  package func parameter(_ index: Int) -> Float { 0 }
  package func activate() throws {}
  package func deactivate() {}
  package func reset() {}
}

@c(test_misbehaving_node_step)
private func misbehavingNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let node = Unmanaged<MisbehavingNode>.fromOpaque(context).takeUnretainedValue()
  for frame in 0 ..< Int(frameCount) {
    buffers[1][frame] = buffers[0][frame]
    if case .sounds(let level) = node.fault { buffers[1][frame] += level }
    if case .writesInput = node.fault { buffers[0][frame] = 0 }
    if case .writesOne = node.fault { buffers[0][frame] = 1 }
  }
  if case .rounds = node.fault { fesetround(upward) }
}

// FE_UPWARD, which is ambiguous in Swift.
#if arch(x86_64)
private let upward: Int32 = 0x800
#else
private let upward: Int32 = 0x40_0000
#endif
