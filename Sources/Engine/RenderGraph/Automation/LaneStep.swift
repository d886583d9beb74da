// LaneStep.swift: renders an automated node in pieces. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. NodeAutomation.swift creates and frees its
// memory.

import CRealtime
import PluginModel
import RealtimeKit
import Synchronization

/// The context of the step that wraps an automated node's step, at a fixed address.
struct LaneStepState: ~Copyable {
  /// The node's step, with its buffers set for each piece.
  var step: crealtime_step
  let parameters: NodeParameterInput
  let transport: UnsafeMutablePointer<TransportState>
  let lanes: UnsafeMutablePointer<LaneState>
  let laneCount: Int
  /// The parameters that controls move.
  let moves: UnsafeMutablePointer<MoveState>
  let moveCount: Int
  /// The clock of the engine; nil before the node is part of a render sequence.
  var engine: UnsafeMutablePointer<EngineEvents>?
  /// The latency of the node's input, in frames.
  let inputLatency = Atomic<Int>(0)

  /// The inputs, then the outputs, of a piece.
  let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let rowCount: Int
  /// The buffer that unconnected inputs share.
  let unconnected = UnconnectedInput.row
  /// The fixed block length of the node, in frames; 1 if it accepts any length.
  let unitFrames: Int64
  /// The number of frames that the node has received.
  var position: Int64 = 0

  /// The MIDI input of the node, and the block's messages that wait for their piece; nil if it takes
  /// none.
  let events: NodeEventInput?
  let arrivals: UnsafeMutablePointer<EventQueue>?
  /// The MIDI that the node sent in the current piece, and in the block so far; nil if it sends
  /// none.
  let sent: UnsafeMutablePointer<EventQueue>?
  let departures: UnsafeMutablePointer<EventQueue>?

  deinit {
    lanes.deinitialize(count: laneCount)
    lanes.deallocate()
    moves.deinitialize(count: moveCount)
    moves.deallocate()
    rows.deallocate()
    arrivals?.deinitialize(count: 1)
    arrivals?.deallocate()
    departures?.deinitialize(count: 1)
    departures?.deallocate()
  }
}

/// Runs the node's step in pieces, split where its parameters change. [render]
@_noLocks @c(outboard_lane_step)
func laneStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LaneStepState.self)
  let position = state.pointee.transport.pointee.position
  let latency = state.pointee.inputLatency.load(ordering: .relaxed)
  let start = position.frame &- Int64(latency)
  let total = Int64(frameCount)
  var done: Int64 = 0
  var nextEvent = 0
  state.pointee.departures?.pointee.clear()
  beginMoves(state)
  while done < total {
    // While the transport is stopped, the lanes do not advance.
    var length = total &- done
    if position.speed > 0 {
      length = setParameters(state, at: start &+ done, atMost: length)
    } else {
      _ = setParameters(state, at: start, atMost: length)
    }
    length = holdParameters(state, from: done, atMost: length)
    runPiece(state, buffers, from: Int(done), Int(length), total: Int(total), &nextEvent)
    done &+= length
  }
  endMoves(state)
  state.pointee.arrivals?.pointee.clear()
  if done > 0 { publishEvents(state) }
}

/// Delivers the values of a frame to the node.
///
/// Returns for how many frames they are valid.
@_noLocks
private func setParameters(
  _ state: UnsafeMutablePointer<LaneStepState>, at frame: Int64, atMost count: Int64
) -> Int64 {
  let unit = state.pointee.unitFrames
  // A node with a fixed block length uses the values of the first frame of its block.
  let collected = unit > 1 ? state.pointee.position % unit : 0
  var length = count
  for index in 0 ..< state.pointee.laneCount {
    let lane = state.pointee.lanes + index
    if lane.pointee.needsUpdate(at: frame &- collected, state.pointee.transport) {
      crealtime_set_parameter(
        state.pointee.parameters.function, state.pointee.parameters.context,
        lane.pointee.parameter, lane.pointee.value, lane.pointee.isJump)
    }
    lane.pointee.markSent()
    length = min(
      length, pieceLength(lane.pointee.frames(from: frame &- collected), collected, unit, count))
  }
  return length
}

/// Returns the length of a piece whose value stays the same for `held` frames from the start of the node's block.
@_noLocks
func pieceLength(_ held: Int64, _ collected: Int64, _ unit: Int64, _ count: Int64) -> Int64 {
  guard held < count &+ collected else { return count }
  return (unit > 1 ? (held &+ unit &- 1) / unit &* unit : held) &- collected
}

@_noLocks
private func runPiece(
  _ state: UnsafeMutablePointer<LaneStepState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ length: Int,
  total: Int, _ nextEvent: inout Int
) {
  state.pointee.parameters.pieceStart?.pointee = start
  deliverEvents(state, from: start, length, isLast: start &+ length == total, &nextEvent)
  if length == total {
    state.pointee.step.buffers = buffers
  } else {
    let unconnected = state.pointee.unconnected
    for row in 0 ..< state.pointee.rowCount {
      state.pointee.rows[row] = buffers[row] == unconnected ? unconnected : buffers[row] + start
    }
    state.pointee.step.buffers = UnsafePointer(state.pointee.rows)
  }
  crealtime_call_step(&state.pointee.step, UInt32(truncatingIfNeeded: length))
  state.pointee.position &+= Int64(length)
  state.pointee.parameters.pieceStart?.pointee = 0
  collectEvents(state, from: start)
}

// MARK: - MIDI

/// Takes a message of the block that is rendered next. [render]
@_noLocks @c(outboard_lane_event)
func takeLaneEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LaneStepState.self)
  state.pointee.arrivals?.pointee.add(frame: frame, bytes, Int(byteCount))
}

/// Delivers the messages of a piece; the last piece takes all that are left.
@_noLocks
private func deliverEvents(
  _ state: UnsafeMutablePointer<LaneStepState>, from start: Int, _ length: Int, isLast: Bool,
  _ next: inout Int
) {
  guard let events = state.pointee.events, let arrivals = state.pointee.arrivals else { return }
  while next < arrivals.pointee.count {
    let frame = Int(arrivals.pointee.frame(at: next)) &- start
    guard frame < length || isLast else { return }
    crealtime_send_event(
      events.function, events.context, UInt32(truncatingIfNeeded: max(0, min(frame, length &- 1))),
      arrivals.pointee.message(at: next), arrivals.pointee.byteCount(at: next))
    next &+= 1
  }
}

/// Keeps the messages that the node sent in a piece.
@_noLocks
private func collectEvents(_ state: UnsafeMutablePointer<LaneStepState>, from start: Int) {
  guard let sent = state.pointee.sent, let departures = state.pointee.departures else { return }
  for index in 0 ..< sent.pointee.count {
    departures.pointee.add(
      frame: sent.pointee.frame(at: index) &+ UInt32(truncatingIfNeeded: start),
      sent.pointee.message(at: index), Int(sent.pointee.byteCount(at: index)))
  }
}

/// Publishes the messages of all pieces for the nodes that read this one.
@_noLocks
private func publishEvents(_ state: UnsafeMutablePointer<LaneStepState>) {
  guard let sent = state.pointee.sent, let departures = state.pointee.departures else { return }
  sent.pointee.clear()
  for index in 0 ..< departures.pointee.count {
    sent.pointee.add(
      frame: departures.pointee.frame(at: index), departures.pointee.message(at: index),
      Int(departures.pointee.byteCount(at: index)))
  }
}
