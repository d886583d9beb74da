// ValueNode.swift: a node that outputs its values, for tests of graphs. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel

/// Outputs the values of its parameters, each on a separate output, without latency.
package final class ValueNode: Node {
  /// A value that was received during rendering.
  package struct Arrival: Equatable {
    package var frame: Int
    package var parameter: Int
    package var value: Float
    package var isJump: Bool

    package init(_ frame: Int, _ parameter: Int, _ value: Float, isJump: Bool) {
      (self.frame, self.parameter, self.value) = (frame, parameter, value)
      self.isJump = isJump
    }
  }

  package let audioInputCount = 0
  package let audioOutputCount: Int
  package let latencyFrames = 0
  package let canRunInPlace = false
  /// The received values.
  package fileprivate(set) var arrivals: [Arrival] = []
  /// The lengths of the rendered blocks.
  package fileprivate(set) var blocks: [Int] = []
  fileprivate var values: [Float]
  /// The values at which the node is held; nil if it is not.
  package fileprivate(set) var held: [Float?]
  private let unitFrameCount: Int

  /// Creates a node with the given number of parameters, at 0, and blocks in units of the given
  /// number of frames.
  package init(parameters: Int = 1, unitFrameCount: Int = 1) {
    audioOutputCount = parameters
    values = [Float](repeating: 0, count: parameters)
    held = [Float?](repeating: nil, count: parameters)
    self.unitFrameCount = unitFrameCount
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  package var step: NodeStep { NodeStep(function: valueNodeStep, context: context) }
  package var parameterInput: NodeParameterInput? {
    NodeParameterInput(
      function: valueNodeParameter, context: context, unitFrameCount: unitFrameCount,
      hold: NodeParameterHold(valueNodeHold, stored: valueNodeStored))
  }
  package func setParameter(_ index: Int, to value: Float) { values[index] = value }
  package func parameter(_ index: Int) -> Float { values[index] }
  package func activate() throws {}
  package func deactivate() {}
  package func reset() {}
}

@c(test_value_node_parameter)
private func valueNodeParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let node = Unmanaged<ValueNode>.fromOpaque(context).takeUnretainedValue()
  node.values[Int(index)] = value
  let frame = node.blocks.reduce(0, +)
  node.arrivals.append(ValueNode.Arrival(frame, Int(index), value, isJump: isJump))
}

@c(test_value_node_hold)
private func valueNodeHold(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isHeld: Bool
) {
  let node = Unmanaged<ValueNode>.fromOpaque(context).takeUnretainedValue()
  node.held[Int(index)] = isHeld ? value : nil
}

@c(test_value_node_stored)
private func valueNodeStored(_ context: UnsafeMutableRawPointer, _ index: UInt32) -> Float {
  Unmanaged<ValueNode>.fromOpaque(context).takeUnretainedValue().values[Int(index)]
}

@c(test_value_node_step)
private func valueNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let node = Unmanaged<ValueNode>.fromOpaque(context).takeUnretainedValue()
  node.blocks.append(Int(frameCount))
  for (output, stored) in node.values.enumerated() {
    let value = node.held[output] ?? stored
    for frame in 0 ..< Int(frameCount) { buffers[output][frame] = value }
  }
}
