// LaneStep.swift: a node whose parameters move by themselves, piece by piece. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. NodeAutomation.swift makes and frees what it works on.

import CRealtime
import PluginModel
import RealtimeKit
import Synchronization

/// What stands between a program and the step of a node with lanes, at a fixed address.
struct LaneStepState: ~Copyable {
  /// The node's own step, its buffers set anew for each piece.
  var step: crealtime_step
  let parameters: NodeParameterInput
  let transport: UnsafeMutablePointer<TransportState>
  let lanes: UnsafeMutablePointer<LaneState>
  let laneCount: Int
  /// By how much the node hears everything late, in frames.
  let inputLatency = Atomic<Int>(0)

  /// Inputs, then outputs, of a piece.
  let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let rowCount: Int
  /// What stands for no buffer.
  let unconnected = UnconnectedInput.row
  /// What a node that is given blocks of its own length is given at once, in frames; 1 for any other.
  let unitFrames: Int64
  /// Frames that the node has been given.
  var position: Int64 = 0

  /// Where the node takes MIDI, and the block's, which waits for its piece; nil if it takes none.
  let events: NodeEventInput?
  let arrivals: UnsafeMutablePointer<EventQueue>?
  /// Where the node leaves the MIDI of a piece, and that of the block so far; nil if it sends none.
  let sent: UnsafeMutablePointer<EventQueue>?
  let departures: UnsafeMutablePointer<EventQueue>?

  deinit {
    lanes.deinitialize(count: laneCount)
    lanes.deallocate()
    rows.deallocate()
    arrivals?.deinitialize(count: 1)
    arrivals?.deallocate()
    departures?.deinitialize(count: 1)
    departures?.deallocate()
  }
}

/// Runs the node's step, cut where its parameters change. [render]
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
  while done < total {
    // Where time stands still, so do the lanes.
    var length = total &- done
    if position.speed > 0 {
      length = setParameters(state, at: start &+ done, atMost: length)
    } else {
      _ = setParameters(state, at: start, atMost: length)
    }
    runPiece(state, buffers, from: Int(done), Int(length), total: Int(total), &nextEvent)
    done &+= length
  }
  state.pointee.arrivals?.pointee.clear()
  if done > 0 { handOutEvents(state) }
}

/// Gives the node the values of a frame, and returns for how many frames they hold.
@_noLocks
private func setParameters(
  _ state: UnsafeMutablePointer<LaneStepState>, at frame: Int64, atMost count: Int64
) -> Int64 {
  let unit = state.pointee.unitFrames
  // What is collected into one block hears the values of its first frame.
  let collected = unit > 1 ? state.pointee.position % unit : 0
  var length = count
  for index in 0 ..< state.pointee.laneCount {
    let lane = state.pointee.lanes + index
    if lane.pointee.hasNews(at: frame &- collected, state.pointee.transport) {
      crealtime_set_parameter(
        state.pointee.parameters.function, state.pointee.parameters.context,
        lane.pointee.parameter, lane.pointee.value, lane.pointee.isJump)
    }
    lane.pointee.given()
    let held = lane.pointee.frames(from: frame &- collected)
    if held < count &+ collected {
      let units = unit > 1 ? (held &+ unit &- 1) / unit &* unit : held
      length = min(length, units &- collected)
    }
  }
  return length
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

/// Hands over what belongs to a piece; the last one gets all that is left.
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

/// Keeps what the node has sent in a piece.
@_noLocks
private func collectEvents(_ state: UnsafeMutablePointer<LaneStepState>, from start: Int) {
  guard let sent = state.pointee.sent, let departures = state.pointee.departures else { return }
  for index in 0 ..< sent.pointee.count {
    departures.pointee.add(
      frame: sent.pointee.frame(at: index) &+ UInt32(truncatingIfNeeded: start),
      sent.pointee.message(at: index), Int(sent.pointee.byteCount(at: index)))
  }
}

/// Leaves the messages of all pieces where those who hear the node look for them.
@_noLocks
private func handOutEvents(_ state: UnsafeMutablePointer<LaneStepState>) {
  guard let sent = state.pointee.sent, let departures = state.pointee.departures else { return }
  sent.pointee.clear()
  for index in 0 ..< departures.pointee.count {
    sent.pointee.add(
      frame: departures.pointee.frame(at: index), departures.pointee.message(at: index),
      Int(departures.pointee.byteCount(at: index)))
  }
}
