// ConnectionDelay.swift: a delayed connection that closes a loop. SPDX-License-Identifier: MIT
//
// Its two steps are run functions: see RenderEngine.swift.

import CRealtime
package import PluginModel
import RealtimeKit

/// Delays one channel by an exact number of frames.
///
/// A line that closes a loop is two nodes over one ring, one that takes the sound in and one that gives it
/// out, without a connection between them in the graph. The ring holds the delay and one more block, and the
/// delay is at least one block: so neither node ever touches what the other one uses in the same block, in
/// any order and on any thread. A line that closes no loop is one node, whose delay may be any number of
/// frames.
package final class ConnectionDelay {
  /// What is sent back, and by how many frames it is late.
  package struct Key: Hashable, Sendable {
    /// The node that it comes from, by its name; nil for the graph's input.
    package var node: String?
    /// The node's channel.
    package var channel: Int
    /// How late it is.
    package var frameCount: Int
    /// Whether the sound gets back to where it comes from.
    package var closesLoop: Bool

    /// A channel and a delay.
    package init(node: String?, channel: Int, frameCount: Int, closesLoop: Bool = true) {
      (self.node, self.channel, self.frameCount) = (node, channel, frameCount)
      self.closesLoop = closesLoop
    }
  }

  /// What is sent back.
  package let key: Key
  /// The node with the line's input.
  package let entrance: any Node
  /// The node with the line's output; the same as `entrance` where no loop is closed.
  package let exit: any Node

  /// A line that is silent.
  ///
  /// - Parameters:
  ///   - key: its delay is at least `maximumFrameCount` if it closes a loop, and at least 1 frame otherwise.
  ///   - maximumFrameCount: the longest block, in frames. [main]
  package init(_ key: Key, maximumFrameCount: Int) {
    self.key = key
    guard key.closesLoop else {
      let node = ForwardDelay(frameCount: key.frameCount)
      (entrance, exit) = (node, node)
      return
    }
    precondition(key.frameCount >= maximumFrameCount, "a way back takes a block at least")
    let ring = ConnectionDelayRing(frameCount: key.frameCount + maximumFrameCount)
    // What is read first was never written.
    entrance = ConnectionDelayEnd(ring, position: key.frameCount, isEntrance: true)
    exit = ConnectionDelayEnd(ring, position: 0, isEntrance: false)
  }
}

/// The memory of a line.
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

/// Where one end of a line is in its ring, at a fixed address.
private struct ConnectionDelayState {
  let samples: UnsafeMutablePointer<Float>
  let frameCount: Int
  var position: Int

  /// Goes on by so many frames.
  @_noLocks
  mutating func advance(_ count: Int) {
    let next = position &+ count
    position = next < frameCount ? next : next &- frameCount
  }
}

/// One of the two nodes of a line.
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
      function: isEntrance ? feedbackEntranceStep : feedbackExitStep,
      context: UnsafeMutableRawPointer(state))
  }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
}

/// Puts a block into the ring. [render]
@_noLocks @c(outboard_feedback_entrance_step)
private func feedbackEntranceStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: ConnectionDelayState.self)
  copyIntoRing(
    buffers[0], state.pointee.samples, at: state.pointee.position,
    capacity: state.pointee.frameCount, count: Int(frameCount))
  state.pointee.advance(Int(frameCount))
}

/// Takes a block out of the ring. [render]
@_noLocks @c(outboard_feedback_exit_step)
private func feedbackExitStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: ConnectionDelayState.self)
  copyOutOfRing(
    state.pointee.samples, at: state.pointee.position, capacity: state.pointee.frameCount,
    buffers[0], count: Int(frameCount))
  state.pointee.advance(Int(frameCount))
}
