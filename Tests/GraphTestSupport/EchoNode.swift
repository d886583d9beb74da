// EchoNode.swift: a node with a tail, for tests of graphs. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel

/// Repeats its input after a number of frames repeatedly, each time multiplied by `feedback`.
package final class EchoNode: Node {
  struct State {
    var ring: UnsafeMutablePointer<Float>
    var frames: Int
    var feedback: Float
    var position = 0
  }

  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = false
  private let state: UnsafeMutablePointer<State>

  package init(frames: Int, feedback: Float) {
    let ring = UnsafeMutablePointer<Float>.allocate(capacity: frames)
    ring.initialize(repeating: 0, count: frames)
    state = .allocate(capacity: 1)
    state.initialize(to: State(ring: ring, frames: frames, feedback: feedback))
  }

  deinit {
    state.pointee.ring.deallocate()
    state.deallocate()
  }

  package var step: NodeStep {
    NodeStep(function: echoNodeStep, context: UnsafeMutableRawPointer(state))
  }
  package func setParameter(_ index: Int, to value: Float) {}
  package func parameter(_ index: Int) -> Float { 0 }
  package func activate() throws {}
  package func deactivate() {}
  package func reset() {}
}

@c(test_echo_node_step)
private func echoNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: EchoNode.State.self)
  for frame in 0 ..< Int(frameCount) {
    let place = state.pointee.position % state.pointee.frames
    let output = buffers[0][frame] + state.pointee.feedback * state.pointee.ring[place]
    state.pointee.ring[place] = output
    buffers[1][frame] = output
    state.pointee.position += 1
  }
}
