// ConnectionDelay.swift: a delayed connection that closes a loop. SPDX-License-Identifier: MIT
//
// Its two steps are run functions: see RenderEngine.swift.

import CRealtime
package import PluginModel
import RealtimeKit

/// Delays one channel by an exact number of frames.
///
/// A delay that closes a loop consists of two nodes that share one ring: one writes the input, the
/// other reads the output. The graph has no connection between them. The ring holds the delay plus
/// one block, and the delay is at least one block. So the two nodes never use the same frames
/// within one block, in any order and on any thread. A delay that closes no loop is one node, and
/// its delay may be any number of frames.
package final class ConnectionDelay {
  /// Identifies a delayed channel.
  package struct Key: Hashable, Sendable {
    /// The name of the source node; nil for the graph's input.
    package var node: String?
    /// The channel of the source.
    package var channel: Int
    /// The delay, in frames.
    package var frameCount: Int
    /// Whether the delayed audio returns to its source.
    package var closesLoop: Bool

    /// Creates a key from a channel and a delay.
    package init(node: String?, channel: Int, frameCount: Int, closesLoop: Bool = true) {
      (self.node, self.channel, self.frameCount) = (node, channel, frameCount)
      self.closesLoop = closesLoop
    }
  }

  /// The delayed channel, and the delay.
  package let key: Key
  /// The node that takes the input.
  package let entrance: any Node
  /// The node that gives the output; the same as `entrance` if the delay closes no loop.
  package let exit: any Node

  /// Creates a delay that is filled with silence. [main]
  ///
  /// - Parameters:
  ///   - key: its delay is at least `maximumFrameCount` if it closes a loop, and at least 1 frame otherwise.
  ///   - maximumFrameCount: the longest block, in frames.
  package init(_ key: Key, maximumFrameCount: Int) {
    self.key = key
    guard key.closesLoop else {
      let node = ForwardDelay(frameCount: key.frameCount)
      (entrance, exit) = (node, node)
      return
    }
    precondition(key.frameCount >= maximumFrameCount, "a delay in a loop is at least a block")
    let ring = ConnectionDelayRing(frameCount: key.frameCount + maximumFrameCount)
    // The frames that are read first are still zero.
    entrance = ConnectionDelayEnd(ring, position: key.frameCount, isEntrance: true)
    exit = ConnectionDelayEnd(ring, position: 0, isEntrance: false)
  }
}

/// The memory of a delay.
private final class ConnectionDelayRing {
  let samples: UnsafeMutablePointer<Float>
  let frameCount: Int

  init(frameCount: Int) {
    self.frameCount = frameCount
    samples = .allocate(capacity: frameCount)
    samples.initialize(repeating: 0, count: frameCount)
  }

  deinit { samples.deallocate() }
}

/// The position of one end in the ring, at a fixed address.
private struct ConnectionDelayState {
  let samples: UnsafeMutablePointer<Float>
  let frameCount: Int
  var position: Int

  /// Advances by a number of frames.
  @_noLocks
  mutating func advance(_ count: Int) {
    let next = position &+ count
    position = next < frameCount ? next : next &- frameCount
  }
}

/// One of the two nodes of a delay.
private final class ConnectionDelayEnd: Node {
  let audioInputCount: Int
  let audioOutputCount: Int
  let latencyFrames = 0
  let canRunInPlace = false
  private let ring: ConnectionDelayRing
  private let state: UnsafeMutablePointer<ConnectionDelayState>
  private let isEntrance: Bool

  init(_ ring: ConnectionDelayRing, position: Int, isEntrance: Bool) {
    self.ring = ring
    self.isEntrance = isEntrance
    (audioInputCount, audioOutputCount) = isEntrance ? (1, 0) : (0, 1)
    state = .allocate(capacity: 1)
    state.initialize(
      to: ConnectionDelayState(
        samples: ring.samples, frameCount: ring.frameCount, position: position))
  }

  deinit { state.deallocate() }

  var step: NodeStep {
    NodeStep(
      function: isEntrance ? connectionDelayWriteStep : connectionDelayReadStep,
      context: UnsafeMutableRawPointer(state))
  }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
}

/// Writes a block into the ring. [render]
@_noLocks @c(outboard_feedback_entrance_step)
private func connectionDelayWriteStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: ConnectionDelayState.self)
  copyIntoRing(
    buffers[0], state.pointee.samples, at: state.pointee.position,
    capacity: state.pointee.frameCount, count: Int(frameCount))
  state.pointee.advance(Int(frameCount))
}

/// Reads a block from the ring. [render]
@_noLocks @c(outboard_feedback_exit_step)
private func connectionDelayReadStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: ConnectionDelayState.self)
  copyOutOfRing(
    state.pointee.samples, at: state.pointee.position, capacity: state.pointee.frameCount,
    buffers[0], count: Int(frameCount))
  state.pointee.advance(Int(frameCount))
}
