// IdleNode.swift: a node that does nothing, so that only the cost of the graph is counted. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel

/// A node with one input and one output in the same memory, whose step returns at once.
final class IdleNode: Node {
  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames = 0
  let canRunInPlace = true
  private let context: UnsafeMutableRawPointer

  init() { context = .allocate(byteCount: 1, alignment: 1) }
  deinit { context.deallocate() }

  var step: NodeStep { NodeStep(function: idleNodeStep, context: context) }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
}

@c(budget_idle_node_step)
private func idleNodeStep(
  _ context: UnsafeMutableRawPointer, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>,
  _ frameCount: UInt32
) {}
