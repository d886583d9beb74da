// SumNode.swift: a node with known arithmetic, for tests of graphs. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel

/// Adds all inputs, multiplies by a gain, and writes the result to each output, delayed by a number
/// of frames.
package final class SumNode: Node {
  struct State {
    var inputCount: Int
    var outputCount: Int
    var gain: Float
    var ring: UnsafeMutablePointer<Float>
    var latency: Int
    var position = 0
  }

  package let audioInputCount: Int
  package let audioOutputCount: Int
  package let latencyFrames: Int
  package let canRunInPlace: Bool
  private let state: UnsafeMutablePointer<State>

  /// Adds the inputs, multiplies the sum by the gain and delays it; without inputs the output is the gain. [main]
  package init(inputs: Int, outputs: Int, gain: Float = 1, latency: Int = 0, inPlace: Bool = false)
  {
    audioInputCount = inputs
    audioOutputCount = outputs
    latencyFrames = latency
    canRunInPlace = inPlace
    state = .allocate(capacity: 1)
    let ring = UnsafeMutablePointer<Float>.allocate(capacity: latency + 1)
    ring.initialize(repeating: 0, count: latency + 1)
    state.initialize(
      to: State(
        inputCount: inputs, outputCount: outputs, gain: gain, ring: ring, latency: latency))
  }

  deinit {
    state.pointee.ring.deallocate()
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: sumNodeStep, context: UnsafeMutableRawPointer(state))
  }
  package func setParameter(_ index: Int, to value: Float) { state.pointee.gain = value }
  package func parameter(_ index: Int) -> Float { state.pointee.gain }
  package func activate() throws {}
  package func deactivate() {}
  package func reset() {}
}

@c(test_sum_node_step)
private func sumNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: SumNode.State.self)
  for frame in 0 ..< Int(frameCount) {
    var sum: Float = 0
    for input in 0 ..< state.pointee.inputCount { sum += buffers[input][frame] }
    sum *= state.pointee.gain
    if state.pointee.inputCount == 0 { sum = state.pointee.gain }
    let length = state.pointee.latency + 1
    state.pointee.ring[state.pointee.position % length] = sum
    state.pointee.position += 1
    let late = state.pointee.ring[state.pointee.position % length]
    for output in 0 ..< state.pointee.outputCount {
      buffers[state.pointee.inputCount + output][frame] = late
    }
  }
}
