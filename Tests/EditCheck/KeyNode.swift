// KeyNode.swift: a node that accepts MIDI and values, and ignores them. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel

/// Copies audio and only counts its messages.
///
/// A node that stored them would be reported.
final class KeyNode: Node {
  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames = 0
  let canRunInPlace = false
  private let count: UnsafeMutablePointer<Int>

  init() {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  deinit { count.deallocate() }

  var step: NodeStep { NodeStep(function: keyNodeStep, context: UnsafeMutableRawPointer(count)) }
  var eventInput: NodeEventInput? {
    NodeEventInput(function: keyNodeEvent, context: UnsafeMutableRawPointer(count))
  }
  var parameterInput: NodeParameterInput? {
    NodeParameterInput(function: keyNodeParameter, context: UnsafeMutableRawPointer(count))
  }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() throws {}
  func deactivate() {}
  func reset() {}
}

@c(edit_check_key_event)
private func keyNodeEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  context.assumingMemoryBound(to: Int.self).pointee &+= 1
}

@c(edit_check_key_parameter)
private func keyNodeParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  context.assumingMemoryBound(to: Int.self).pointee &+= 1
}

@c(edit_check_key_step)
private func keyNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  crealtime_copy(buffers[1], buffers[0], frameCount)
}
