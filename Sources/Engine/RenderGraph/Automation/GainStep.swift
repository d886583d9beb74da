// GainStep.swift: multiplies audio with automated gains. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. GainAutomationNode.swift creates and frees
// its memory.

import CRealtime
import PluginModel
import RealtimeKit
import Synchronization

/// A lane whose value is a gain: linear ramps, and crossfades instead of jumps.
struct GainLaneState: ~Copyable {
  var lane: LaneState
  /// The gain of the last manual change, as the bits of a `Float`.
  let overridden = Atomic<UInt32>(0)
  /// The last gain that was returned.
  private var gain: Float = 0
  private var hasBegun = false
  private var isOverridden = false
  private var hand: Float = 0
  private var fadeStart: Float = 0
  /// Frames since the last jump, until its crossfade is complete.
  private var fadePosition: Int

  /// Creates a lane before its first block. [main]
  init(_ lane: consuming LaneState, fadeFrames: Int) {
    self.lane = lane
    fadePosition = fadeFrames
  }

  /// Multiplies `gains` by the lane's gains from a frame on.
  ///
  /// The result does not depend on how the frames are split into calls. [render]
  @_noLocks
  mutating func multiply(
    _ gains: UnsafeMutablePointer<Float>, _ count: Int, from frame: Int64, isRolling: Bool,
    _ transport: UnsafeMutablePointer<TransportState>, _ curve: UnsafeMutablePointer<Float>,
    _ curveFrames: Int
  ) {
    var done = 0
    while done < count {
      let position = isRolling ? frame &+ Int64(done) : frame
      var line = LaneSegment(first: position, start: hand, end: position &+ 1, target: hand)
      var isJump = false
      if let segment = lane.segment(at: position, transport) {
        (line, isJump) = (segment, isOverridden || lane.isJump && !lane.isFirstPoint)
        lane.markSent()
        isOverridden = false
      } else {
        let set = Float(bitPattern: overridden.load(ordering: .relaxed))
        isJump = !isOverridden || set != hand
        (hand, isOverridden) = (set, true)
        line = LaneSegment(first: position, start: set, end: position &+ 1, target: set)
      }
      if isJump, hasBegun { (fadeStart, fadePosition) = (gain, 0) }
      hasBegun = true
      var length = count &- done
      if isRolling, line.end != Int64.max { length = Int(min(Int64(length), line.end &- position)) }
      let slope = line.target - line.start
      let span = Float(max(1, line.end == Int64.max ? 1 : line.end &- line.first))
      for index in 0 ..< length {
        let along = isRolling ? Float(position &+ Int64(index) &- line.first) / span : 0
        let wanted = slope == 0 ? line.start : line.start + slope * along
        if fadePosition < curveFrames {
          gain = fadeStart + (wanted - fadeStart) * curve[fadePosition]
          fadePosition &+= 1
        } else {
          gain = wanted
        }
        gains[done &+ index] *= gain
      }
      done &+= length
    }
  }
}

/// One factor of a gain: a share times lanes, or 1 minus that product.
struct GainFactorState {
  let constant: Float
  let isRemainder: Bool
  let lanes: UnsafeMutablePointer<GainLaneState>
  let laneCount: Int
}

/// The context of the gain step, at a fixed address.
struct GainStepState: ~Copyable {
  /// The number of frames that are computed at once.
  static var chunkFrames: Int { @_noLocks get { 32 } }

  let factors: UnsafeMutablePointer<GainFactorState>
  let factorCount: Int
  let transport: UnsafeMutablePointer<TransportState>
  /// The crossfade for jumps.
  let curve: FadeCurve
  /// The latency of the node's input, in frames.
  let inputLatency = Atomic<Int>(0)
  /// Two channel buffers of one chunk each.
  let gains: UnsafeMutablePointer<Float>
  let factorGains: UnsafeMutablePointer<Float>

  deinit {
    for index in 0 ..< factorCount {
      factors[index].lanes.deinitialize(count: factors[index].laneCount)
      factors[index].lanes.deallocate()
    }
    factors.deallocate()
    gains.deallocate()
    factorGains.deallocate()
  }
}

/// Writes the input times the gain of each frame. [render]
@_noLocks @c(outboard_gain_step)
func gainStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: GainStepState.self)
  let position = state.pointee.transport.pointee.position
  let start = position.frame &- Int64(state.pointee.inputLatency.load(ordering: .relaxed))
  let (input, output) = (buffers[0], buffers[1])
  let total = Int(frameCount)
  var done = 0
  while done < total {
    let count = min(GainStepState.chunkFrames, total &- done)
    let isRolling = position.speed > 0
    computeGains(state, count, from: isRolling ? start &+ Int64(done) : start, isRolling)
    let gains = state.pointee.gains
    for frame in 0 ..< count {
      let gain = gains[frame]
      // A gain of 0 also mutes NaN and infinity.
      output[done &+ frame] = gain == 0 ? 0 : input[done &+ frame] * gain
    }
    done &+= count
  }
}

/// Computes the gains of at most one chunk of frames.
@_noLocks
private func computeGains(
  _ state: UnsafeMutablePointer<GainStepState>, _ count: Int, from frame: Int64, _ isRolling: Bool
) {
  let (gains, factorBuffer) = (state.pointee.gains, state.pointee.factorGains)
  for index in 0 ..< count { gains[index] = 1 }
  for index in 0 ..< state.pointee.factorCount {
    let factor = state.pointee.factors[index]
    for index in 0 ..< count { factorBuffer[index] = factor.constant }
    for lane in 0 ..< factor.laneCount {
      factor.lanes[lane].multiply(
        factorBuffer, count, from: frame, isRolling: isRolling, state.pointee.transport,
        state.pointee.curve.gains, state.pointee.curve.frameCount)
    }
    for index in 0 ..< count {
      gains[index] *= factor.isRemainder ? 1 - factorBuffer[index] : factorBuffer[index]
    }
  }
}
