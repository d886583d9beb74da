// IsolatedStep.swift: renders a block of an isolated node. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks or throws. The only waits are those for the worker, which end before
// the block must be ready. Nothing that is read from the shared memory is trusted.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// Passes a block to the worker and waits for the answer; bypasses the node without one. [render]
@_noLocks @c(outboard_isolated_step)
func isolatedStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  state.pointee.departures?.pointee.clear()
  let isWet = exchange(state, buffers, frameCount)
  if isWet { takeAnswer(state, buffers, frameCount) }
  state.pointee.dry.finish(isWet: isWet, buffers, frameCount)
}

/// Returns whether there is an answer to the block.
@_noLocks
private func exchange(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) -> Bool {
  if state.pointee.hasFailed || state.pointee.isWaiting && !catchUp(state) {
    dropChanges(state)
    return false
  }
  let now = crealtime_nanoseconds()
  if !state.pointee.isOffline { cisolation_stay_on_processor() }
  writeRequest(state, buffers, frameCount)
  state.pointee.request &+= 1
  // Set before the hand-over, because the worker may crash before the hand-over returns.
  state.pointee.hasOpenRequest.store(true, ordering: .relaxed)
  guard cisolation_hand_over(state.pointee.block, state.pointee.owner, state.pointee.request) else {
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    fail(state, .ended)
    return false
  }
  let deadline = deadline(state, frameCount, now: now)
  switch cisolation_await(
    state.pointee.block, state.pointee.owner, state.pointee.request, deadline)
  {
  case Int32(CISOLATION_ANSWERED):
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    if state.pointee.lateness > 0 { state.pointee.lateness &-= 1 }
    return true
  case Int32(CISOLATION_LATE): recordLate(state, frameCount, from: now, until: deadline)
  default: fail(state, .ended)
  }
  return false
}

/// Returns whether the open request of an earlier block is answered by now; the answer is dropped.
@_noLocks
private func catchUp(_ state: UnsafeMutablePointer<IsolatedState>) -> Bool {
  switch cisolation_state(state.pointee.block, state.pointee.owner, state.pointee.request) {
  case Int32(CISOLATION_ANSWERED):
    state.pointee.isWaiting = false
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    return true
  case Int32(CISOLATION_LATE):
    if crealtime_nanoseconds() &- state.pointee.waitsSince > state.pointee.stallNanoseconds {
      fail(state, .stalled)
    }
  default: fail(state, .ended)
  }
  return false
}

/// Keeps a request open, or gives the node up if it is late too often.
///
/// An answer that is late because other nodes took the time is not counted.
@_noLocks
private func recordLate(
  _ state: UnsafeMutablePointer<IsolatedState>, _ frameCount: UInt32, from start: UInt64,
  until deadline: UInt64
) {
  guard !state.pointee.isOffline else { return fail(state, .stalled) }
  state.pointee.isWaiting = true
  state.pointee.waitsSince = start
  state.pointee.lateCount.add(1, ordering: .relaxed)
  if let time = state.pointee.transport?.pointee.blockTime {
    state.pointee.lateBlock.pointee.store(time.start.pointee, ordering: .relaxed)
  }
  let period = Double(frameCount) * state.pointee.frameNanoseconds
  guard deadline > start,
    Double(deadline &- start) > period * IsolatedState.shortestWait / 2
  else { return }
  state.pointee.lateness &+= IsolatedState.latePenalty
  if state.pointee.lateness > IsolatedState.latestLimit { fail(state, .slow) }
}

/// Ends the worker process and bypasses the node from now on.
@_noLocks
private func fail(_ state: UnsafeMutablePointer<IsolatedState>, _ kind: IsolationFaultKind) {
  state.pointee.hasFailed = true
  cisolation_kill(state.pointee.process)
  // Pairs with the acquiring load in `IsolatedNode.faultKind`.
  state.pointee.fault.store(kind.bits, ordering: .releasing)
}

// MARK: - Deadline

extension IsolatedState {
  /// The part of a period that is left for what comes after the node, at least, and the lateness of the kernel's
  /// timers in ns.
  fileprivate static var reservedShare: Double { @_noLocks get { 0.1 } }
  fileprivate static var timerNanoseconds: Double { @_noLocks get { 250_000 } }
  /// The part of a period that a node may wait even if the block began late, unless another node was late in it.
  fileprivate static var shortestWait: Double { @_noLocks get { 0.25 } }
  /// A late answer counts as much as this many answers in time; about five in a row are too many.
  fileprivate static var latePenalty: Int { @_noLocks get { 64 } }
  fileprivate static var latestLimit: Int { @_noLocks get { 256 } }
}

/// Returns when to stop waiting, on CLOCK_MONOTONIC in ns.
@_noLocks
private func deadline(
  _ state: UnsafeMutablePointer<IsolatedState>, _ frameCount: UInt32, now: UInt64
) -> UInt64 {
  guard !state.pointee.isOffline else { return now &+ state.pointee.stallNanoseconds }
  let time = state.pointee.transport?.pointee.blockTime
  let start = time?.start.pointee ?? now
  let frames = time?.frameCount.pointee ?? Int(frameCount)
  let period = Double(frames) * state.pointee.frameNanoseconds
  let reserve = min(
    IsolatedState.reservedShare * period + IsolatedState.timerNanoseconds,
    (1 - IsolatedState.shortestWait) * period)
  let due = start &+ UInt64(period - reserve)
  let isSpent =
    time != nil && state.pointee.lateBlock.pointee.load(ordering: .relaxed) == start
  return isSpent ? due : max(due, now &+ UInt64(IsolatedState.shortestWait * period))
}

// MARK: - Request and answer

@_noLocks
private func writeRequest(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let block = state.pointee.block
  block.pointee.frame_count = frameCount
  block.pointee.waiter = cisolation_own_thread()
  block.pointee.processor = cisolation_own_processor()
  block.pointee.piece_start = Int64(state.pointee.pieceStart.pointee)
  writeTime(state)
  writeChanges(state)
  block.pointee.change_count = UInt32(truncatingIfNeeded: state.pointee.changeCount)
  state.pointee.changeCount = 0
  releaseHeldEvents(state)
  block.pointee.event_bytes = state.pointee.eventBytes
  state.pointee.eventBytes = 0
  let unconnected = state.pointee.layout.unconnected(block)
  for channel in 0 ..< state.pointee.inputCount {
    let isUnconnected = buffers[channel] == state.pointee.unconnected
    unconnected[channel] = isUnconnected ? 1 : 0
    if !isUnconnected {
      crealtime_copy(state.pointee.layout.channel(block, channel), buffers[channel], frameCount)
    }
  }
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

/// Copies what is needed of an answer; the worker may change it meanwhile.
@_noLocks
private func takeAnswer(
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
    guard bits != state.pointee.sent[index] else { continue }
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
  state.pointee.layout.changes(state.pointee.block)[count] = cisolation_change(
    index: UInt32(truncatingIfNeeded: index), value: Float(bitPattern: bits),
    is_jump: isJump ? 1 : 0)
  state.pointee.changeCount = count &+ 1
  return true
}

/// Forgets the values of a block that is not rendered; they are sent again when the node answers.
@_noLocks
private func dropChanges(_ state: UnsafeMutablePointer<IsolatedState>) {
  state.pointee.changeCount = 0
  state.pointee.eventBytes = 0
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
      state.pointee.layout.events(state.pointee.block), &state.pointee.eventBytes, frame, bytes,
      byteCount)
    return
  }
  // At frame 0, so that the messages of several blocks keep their order.
  state.pointee.held?.pointee.add(frame: 0, bytes, Int(byteCount))
}

@_noLocks
private func releaseHeldEvents(_ state: UnsafeMutablePointer<IsolatedState>) {
  guard let held = state.pointee.held, held.pointee.count > 0 else { return }
  for index in 0 ..< held.pointee.count {
    _ = cisolation_add_event(
      state.pointee.layout.events(state.pointee.block), &state.pointee.eventBytes,
      held.pointee.frame(at: index), held.pointee.message(at: index),
      held.pointee.byteCount(at: index))
  }
  held.pointee.clear()
}
