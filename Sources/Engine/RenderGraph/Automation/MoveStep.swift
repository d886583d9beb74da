// MoveStep.swift: moves parameters of a node between the messages of a control. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import PluginModel
import Synchronization

/// Takes the movements of all controls, and lets the node take values that others have set. [render]
@_noLocks
func beginMoves(_ state: UnsafeMutablePointer<LaneStepState>) {
  guard let engine = state.pointee.engine, let hold = state.pointee.parameters.hold else { return }
  for index in 0 ..< state.pointee.moveCount {
    let move = state.pointee.moves + index
    let stored = crealtime_stored_value(
      hold.stored, state.pointee.parameters.context, move.pointee.parameter)
    move.pointee.begin(stored: stored, engine)
  }
}

/// Holds the node at the values of a frame of the block, and returns for how many frames they are valid. [render]
@_noLocks
func holdParameters(
  _ state: UnsafeMutablePointer<LaneStepState>, from start: Int64, atMost count: Int64
) -> Int64 {
  guard state.pointee.moveCount > 0, let engine = state.pointee.engine,
    let hold = state.pointee.parameters.hold
  else { return count }
  let unit = state.pointee.unitFrames
  // A node with a fixed block length uses the values of the first frame of its block.
  let collected = unit > 1 ? state.pointee.position % unit : 0
  let frame = Int64(bitPattern: engine.pointee.clock.position) &+ start &- collected
  var length = count
  for index in 0 ..< state.pointee.moveCount {
    let move = state.pointee.moves + index
    guard move.pointee.isHeld else { continue }
    crealtime_set_parameter(
      hold.function, state.pointee.parameters.context, move.pointee.parameter,
      move.pointee.value(at: frame), true)
    length = min(length, pieceLength(move.pointee.frames(from: frame), collected, unit, count))
  }
  return length
}

/// Releases the node, because its next block may be part of another render sequence. [render]
@_noLocks
func endMoves(_ state: UnsafeMutablePointer<LaneStepState>) {
  guard let hold = state.pointee.parameters.hold else { return }
  for index in 0 ..< state.pointee.moveCount where state.pointee.moves[index].isHeld {
    crealtime_set_parameter(
      hold.function, state.pointee.parameters.context, state.pointee.moves[index].parameter, 0,
      false)
  }
}
