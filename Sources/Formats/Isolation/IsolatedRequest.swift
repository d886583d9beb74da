// IsolatedRequest.swift: what an isolated node and its worker process exchange for a block.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks, waits or throws. Nothing that is read from the shared memory is
// trusted.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

// MARK: - Request and answer

/// Adds frames to the request, with the values and the MIDI that have arrived for them. [render]
///
/// There is room: the request is empty, or `hasRoom` was true after the last piece.
@_noLocks
func addPiece(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  copyInputs(state, buffers, frameCount)
  addPiece(state, frameCount)
}

/// Adds frames whose inputs are written already, or are not in the memory of the node. [render]
@_noLocks
func addPiece(_ state: UnsafeMutablePointer<IsolatedState>, _ frameCount: UInt32) {
  writeChanges(state)
  releaseHeldEvents(state)
  cisolation_piece_at(state.pointee.block, state.pointee.pieceCount).pointee = cisolation_piece(
    start: Int64(state.pointee.pieceStart.pointee), frame_count: frameCount,
    change_end: UInt32(truncatingIfNeeded: state.pointee.changeCount),
    event_end: state.pointee.eventBytes)
  state.pointee.pieceCount &+= 1
  state.pointee.frameCount &+= Int(frameCount)
}

/// Writes the inputs of the next piece. [render]
@_noLocks
func copyInputs(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let block = state.pointee.block
  let sources = state.pointee.layout.sources(block)
  for channel in 0 ..< state.pointee.inputCount {
    let isUnconnected = buffers[channel] == state.pointee.unconnected
    sources[channel] = UInt32(isUnconnected ? CISOLATION_UNCONNECTED : CISOLATION_OWN)
    if !isUnconnected {
      crealtime_copy(
        state.pointee.layout.channel(block, channel) + state.pointee.frameCount, buffers[channel],
        frameCount)
    }
  }
}

/// Whether the request has room for another piece with values and MIDI. [render]
@_noLocks
func hasRoom(_ state: UnsafeMutablePointer<IsolatedState>) -> Bool {
  state.pointee.pieceCount < UInt32(CISOLATION_PIECES)
    && state.pointee.changeCount <= state.pointee.layout.changeCapacity / 2
    && state.pointee.eventBytes <= UInt32(CISOLATION_EVENT_BYTES) / 2
}

/// Writes what the pieces of a request have in common, and begins the next request. [render]
@_noLocks
func completeRequest(_ state: UnsafeMutablePointer<IsolatedState>) {
  let block = state.pointee.block
  writeTime(state)
  if state.pointee.delay != nil {
    cisolation_copy(
      state.pointee.layout.changes(block), state.pointee.stagedChanges,
      state.pointee.changeCount &* MemoryLayout<cisolation_change>.stride)
    cisolation_copy(
      state.pointee.layout.events(block), state.pointee.stagedEvents,
      Int(state.pointee.eventBytes))
  }
  block.pointee.piece_count = state.pointee.pieceCount
  (state.pointee.pieceCount, state.pointee.frameCount) = (0, 0)
  (state.pointee.changeCount, state.pointee.eventBytes) = (0, 0)
}

@_noLocks
private func writeTime(_ state: UnsafeMutablePointer<IsolatedState>) {
  let block = state.pointee.block
  guard let transport = state.pointee.transport else {
    block.pointee.has_time = 0
    return
  }
  block.pointee.has_time = 1
  var position = transport.pointee.position
  withUnsafeMutablePointer(to: &block.pointee.time) { time in
    withUnsafePointer(to: &position) {
      cisolation_copy(time, $0, MemoryLayout<TransportPosition>.size)
    }
  }
}

/// Copies what is needed of an answer; the worker may change it meanwhile. [render]
@_noLocks
func takeAnswer(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let block = state.pointee.block
  for channel in state.pointee.inputCount ..< state.pointee.inputCount &+ state.pointee.outputCount
  {
    crealtime_copy(buffers[channel], state.pointee.layout.channel(block, channel), frameCount)
  }
  guard let departures = state.pointee.departures else { return }
  let used = cisolation_sent_bytes(block)
  var offset: UInt32 = 0
  while true {
    let event = cisolation_next_event(state.pointee.layout.sentEvents(block), used, &offset)
    guard let bytes = event.bytes else { return }
    departures.pointee.add(
      frame: min(event.frame, max(frameCount, 1) &- 1), bytes, Int(event.count))
  }
}

// MARK: - Parameters

/// Adds the values that the main thread has set since the last block.
@_noLocks
private func writeChanges(_ state: UnsafeMutablePointer<IsolatedState>) {
  // Pairs with the releasing addition in `IsolatedNode.setParameter`.
  let changes = state.pointee.changes.load(ordering: .acquiring)
  guard changes != state.pointee.takenChanges else { return }
  state.pointee.takenChanges = changes
  for index in 0 ..< state.pointee.parameterCount {
    let bits = state.pointee.targets[index].load(ordering: .relaxed)
    guard bits != state.pointee.sent[index], !state.pointee.isHeld[index] else { continue }
    guard addChange(state, index, bits, isJump: true) else {
      // The rest follows with the next block.
      state.pointee.takenChanges = changes &- 1
      return
    }
    state.pointee.sent[index] = bits
    guard state.pointee.isTrigger[index] else { continue }
    // The plugin resets it after the block.
    let rest = state.pointee.restBits[index]
    state.pointee.sent[index] = rest
    _ = state.pointee.targets[index].compareExchange(
      expected: bits, desired: rest, ordering: .relaxed)
  }
}

@_noLocks
private func addChange(
  _ state: UnsafeMutablePointer<IsolatedState>, _ index: Int, _ bits: UInt32, isJump: Bool
) -> Bool {
  let count = state.pointee.changeCount
  guard count < state.pointee.layout.changeCapacity else { return false }
  state.pointee.stagedChanges[count] = cisolation_change(
    index: UInt32(truncatingIfNeeded: index), value: Float(bitPattern: bits),
    is_jump: isJump ? 1 : 0)
  state.pointee.changeCount = count &+ 1
  return true
}

/// Removes the values and the MIDI of frames that are not rendered from the request; they are sent when the node
/// answers again. [render]
@_noLocks
func dropRequest(_ state: UnsafeMutablePointer<IsolatedState>) {
  for change in 0 ..< state.pointee.changeCount {
    state.pointee.sent[Int(state.pointee.stagedChanges[change].index)] = IsolatedState.unsent
  }
  if state.pointee.changeCount > 0 { state.pointee.takenChanges &-= 1 }
  var offset: UInt32 = 0
  while !state.pointee.hasFailed {
    let event = cisolation_next_event(
      state.pointee.stagedEvents, state.pointee.eventBytes, &offset)
    guard let bytes = event.bytes else { break }
    state.pointee.heldEvents?.pointee.add(frame: 0, bytes, Int(event.count))
  }
  (state.pointee.pieceCount, state.pointee.frameCount) = (0, 0)
  (state.pointee.changeCount, state.pointee.eventBytes) = (0, 0)
}

/// Takes the value of a lane for the next step. [render]
@_noLocks @c(outboard_isolated_parameter)
func setIsolatedParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  let index = Int(index)
  guard index < state.pointee.parameterCount else { return }
  state.pointee.targets[index].store(value.bitPattern, ordering: .relaxed)
  if !state.pointee.isWaiting, addChange(state, index, value.bitPattern, isJump: isJump) {
    state.pointee.sent[index] = value.bitPattern
  } else {
    state.pointee.takenChanges &-= 1
  }
}

/// Holds a parameter of the plugin at a value from the next step on, or lets it take the stored value. [render]
@_noLocks @c(outboard_isolated_hold)
func holdIsolatedParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isHeld: Bool
) {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  let index = Int(index)
  guard index < state.pointee.parameterCount else { return }
  state.pointee.isHeld[index] = isHeld
  if isHeld {
    guard state.pointee.sent[index] != value.bitPattern, !state.pointee.isWaiting,
      addChange(state, index, value.bitPattern, isJump: false)
    else { return }
    state.pointee.sent[index] = value.bitPattern
  } else if state.pointee.sent[index]
    != state.pointee.targets[index].load(ordering: .relaxed)
  {
    state.pointee.takenChanges &-= 1
  }
}

/// Returns the stored value of a parameter; 0 for an unknown one. [render]
@_noLocks @c(outboard_isolated_stored)
func storedIsolatedValue(_ context: UnsafeMutableRawPointer, _ index: UInt32) -> Float {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  guard Int(index) < state.pointee.parameterCount else { return 0 }
  return Float(bitPattern: state.pointee.targets[Int(index)].load(ordering: .relaxed))
}

// MARK: - MIDI

/// Takes a message for the next step. [render]
@_noLocks @c(outboard_isolated_event)
func takeIsolatedEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  guard !state.pointee.hasFailed else { return }
  guard state.pointee.isWaiting else {
    _ = cisolation_add_event(
      state.pointee.stagedEvents, &state.pointee.eventBytes, frame, bytes,
      byteCount)
    return
  }
  // At frame 0, so that the messages of several blocks keep their order.
  state.pointee.heldEvents?.pointee.add(frame: 0, bytes, Int(byteCount))
}

@_noLocks
private func releaseHeldEvents(_ state: UnsafeMutablePointer<IsolatedState>) {
  guard let heldEvents = state.pointee.heldEvents, heldEvents.pointee.count > 0 else { return }
  for index in 0 ..< heldEvents.pointee.count {
    _ = cisolation_add_event(
      state.pointee.stagedEvents, &state.pointee.eventBytes,
      heldEvents.pointee.frame(at: index), heldEvents.pointee.message(at: index),
      heldEvents.pointee.byteCount(at: index))
  }
  heldEvents.pointee.clear()
}
