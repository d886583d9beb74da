// IsolatedStep.swift: renders a block of an isolated node. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks or throws. The only waits are those for the worker, which end before
// the block must be ready.

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
  state.pointee.dry.finish(isWet: isWet, buffers, frameCount, inputs: buffers)
}

/// Returns whether there is an answer to the block.
@_noLocks
private func exchange(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) -> Bool {
  if state.pointee.isPrepared, state.pointee.isAnswered {
    closePrepared(state, buffers, frameCount)
    return true
  }
  guard isReady(state) else { return false }
  let now = crealtime_nanoseconds()
  if !state.pointee.isOffline { cisolation_stay_on_processor() }
  if state.pointee.isPrepared {
    state.pointee.isPrepared = false
    copyInputs(state, buffers, frameCount)
  } else {
    addPiece(state, buffers, frameCount)
    completeRequest(state)
  }
  return handOver(state) && awaitAnswer(state, frameCount, from: now)
}

/// Whether the node can make a request; forgets values and MIDI otherwise. [render]
@_noLocks
func isReady(_ state: UnsafeMutablePointer<IsolatedState>) -> Bool {
  guard state.pointee.hasFailed || state.pointee.isWaiting && !catchUp(state) else { return true }
  if !state.pointee.hasFailed { state.pointee.lateCount.add(1, ordering: .relaxed) }
  dropRequest(state)
  return false
}

/// Passes the request to the worker; returns false if the worker has ended. [render]
@_noLocks
func handOver(
  _ state: UnsafeMutablePointer<IsolatedState>, nodeCount: UInt32 = 1
) -> Bool {
  state.pointee.block.pointee.waiter = cisolation_own_thread()
  state.pointee.block.pointee.processor =
    state.pointee.delay == nil ? cisolation_own_processor() : -1
  state.pointee.block.pointee.chain_count = nodeCount
  if state.pointee.priority > 0 {
    _ = cisolation_set_priority(
      Int32(bitPattern: state.pointee.owner), state.pointee.priority)
    state.pointee.priority = 0
  }
  state.pointee.request &+= 1
  state.pointee.open = OpenRequest(
    state.pointee.block, owner: state.pointee.owner, number: state.pointee.request, chainIndex: 0)
  // Set before the hand-over, because the worker may crash before the hand-over returns.
  state.pointee.hasOpenRequest.store(true, ordering: .relaxed)
  guard cisolation_hand_over(state.pointee.block, state.pointee.owner, state.pointee.request) else {
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    fail(state, .ended)
    return false
  }
  return true
}

/// Waits for the answer to the open request until the deadline of a block; returns whether there is one. [render]
@_noLocks
func awaitAnswer(
  _ state: UnsafeMutablePointer<IsolatedState>, _ frameCount: UInt32, from now: UInt64
) -> Bool {
  let deadline = deadline(state, frameCount, now: now)
  switch cisolation_await(
    state.pointee.block, state.pointee.owner, state.pointee.request, deadline)
  {
  case Int32(CISOLATION_ANSWERED):
    recordAnswer(state)
    return true
  case Int32(CISOLATION_LATE): recordLate(state, frameCount, from: now, until: deadline)
  default: fail(state, .ended)
  }
  return false
}

/// Closes the request after an answer in time. [render]
@_noLocks
func recordAnswer(_ state: UnsafeMutablePointer<IsolatedState>) {
  state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
  if state.pointee.lateness > 0 { state.pointee.lateness &-= 1 }
}

/// Returns whether the open request of an earlier block is answered by now; the answer is dropped. [render]
@_noLocks
func catchUp(_ state: UnsafeMutablePointer<IsolatedState>) -> Bool {
  switch state.pointee.open.state {
  case Int32(CISOLATION_ANSWERED):
    state.pointee.isWaiting = false
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    return true
  case Int32(CISOLATION_LATE): if hasStalled(state) { fail(state, .stalled) }
  // The first node of the chain ends a process that has stalled.
  default: fail(state, state.pointee.open.chainIndex > 0 && hasStalled(state) ? .stalled : .ended)
  }
  return false
}

/// Whether the node has been waited for long enough, call by call: a machine that stood still is not its fault.
@_noLocks
private func hasStalled(_ state: UnsafeMutablePointer<IsolatedState>) -> Bool {
  let now = crealtime_nanoseconds()
  let longest = state.pointee.stallNanoseconds / IsolatedState.stallLooks
  state.pointee.waited &+= min(now &- state.pointee.waitsSince, longest)
  state.pointee.waitsSince = now
  return state.pointee.waited > state.pointee.stallNanoseconds
}

/// Keeps a request open, or gives the node up if it is late too often.
///
/// An answer that is late because other nodes took the time is not counted. [render]
@_noLocks
func recordLate(
  _ state: UnsafeMutablePointer<IsolatedState>, _ frameCount: UInt32, from start: UInt64,
  until deadline: UInt64
) {
  guard !state.pointee.isOffline else { return fail(state, .stalled) }
  state.pointee.isWaiting = true
  state.pointee.waitsSince = start
  state.pointee.waited = 0
  yieldProcessor(state)
  state.pointee.lateCount.add(1, ordering: .relaxed)
  if state.pointee.delay == nil, let time = state.pointee.transport?.pointee.blockTime {
    state.pointee.lateBlock.pointee.store(time.start.pointee, ordering: .relaxed)
  }
  let period = Double(frameCount) * state.pointee.frameNanoseconds
  guard deadline > start,
    Double(deadline &- start) > period * IsolatedState.shortestWait / 2
  else { return }
  state.pointee.lateness &+= IsolatedState.latePenalty
  if state.pointee.lateness > IsolatedState.latestLimit { fail(state, .slow) }
}

/// Bypasses the node from now on, and ends a worker process that still runs. [render]
///
/// If the thread of the worker has ended, the main thread ends the rest of its process. The system call would make the
/// bypass later.
@_noLocks
func fail(_ state: UnsafeMutablePointer<IsolatedState>, _ kind: IsolationFaultKind) {
  state.pointee.hasFailed = true
  switch kind {
  case .ended: break
  case .stalled, .slow:
    yieldProcessor(state)
    cisolation_kill(state.pointee.process)
  }
  // Pairs with the acquiring load in `IsolatedNode.fault`.
  state.pointee.fault.store(kind.bits, ordering: .releasing)
}

/// Lets the threads of other workers preempt that of this node until its next request.
///
/// All run on the processor of the host with one priority, where a plugin that never returns, or a process that ends,
/// would keep the others from it.
@_noLocks
private func yieldProcessor(_ state: UnsafeMutablePointer<IsolatedState>) {
  guard !state.pointee.isOffline, state.pointee.priority == 0 else { return }
  state.pointee.priority = cisolation_set_priority(
    Int32(bitPattern: state.pointee.owner), IsolatedState.lowestPriority)
}

// MARK: - Deadline

extension IsolatedState {
  /// The part of a period that is left for what comes after the node, at least, and the lateness of the kernel's
  /// timers in ns.
  fileprivate static var reservedShare: Double { @_noLocks get { 0.1 } }
  fileprivate static var timerNanoseconds: Double { @_noLocks get { 250_000 } }
  /// The part of a period that a node may wait even if the block began late, unless another node was late in it.
  fileprivate static var shortestWait: Double { @_noLocks get { 0.25 } }
  /// The real-time priority of a thread that is late: above threads without one.
  fileprivate static var lowestPriority: Int32 { @_noLocks get { 1 } }
  /// A node has not stalled before it was looked at this often.
  fileprivate static var stallLooks: UInt64 { @_noLocks get { 4 } }
  /// A late answer counts as much as this many answers in time; about five in a row are too many.
  fileprivate static var latePenalty: Int { @_noLocks get { 64 } }
  fileprivate static var latestLimit: Int { @_noLocks get { 256 } }
}

/// Returns when to stop waiting, on CLOCK_MONOTONIC in ns.
///
/// In a block in which a node was late, the others may use the time for late timers, because they need little of it.
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
  return isSpent
    ? start &+ UInt64((1 - IsolatedState.reservedShare) * period)
    : max(due, now &+ UInt64(IsolatedState.shortestWait * period))
}
