// ChainStep.swift: renders a block of a chain of isolated nodes with one request. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks or throws. The only wait is that for the worker, which ends before
// the block must be ready.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// Passes a block of all nodes of a chain to the worker, and completes the first node. [render]
///
/// The steps of the other nodes take their answers.
@_noLocks @c(outboard_chain_step)
func chainStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let chain = context.assumingMemoryBound(to: ChainState.self)
  let first = chain.pointee.members[0].state
  let count = nodeCount(chain)
  guard count > 1 else { return isolatedStep(first, buffers, frameCount) }
  first.pointee.departures?.pointee.clear()
  let isWet =
    isReady(first) && exchange(chain, UInt32(truncatingIfNeeded: count), buffers, frameCount)
  if isWet { takeAnswer(first, buffers, frameCount) }
  first.pointee.dry.finish(isWet: isWet, buffers, frameCount, inputs: buffers)
}

/// Returns how many nodes of the chain the next request can contain.
///
/// A node can follow another one only if it gets exactly its answer.
@_noLocks
private func nodeCount(_ chain: UnsafeMutablePointer<ChainState>) -> Int {
  var count = 1
  while count < chain.pointee.limit {
    let next = chain.pointee.members[count].state
    if next.pointee.hasOtherInputs || next.pointee.isPrepared {
      // A guard fades to the bypass of this node or of one before it, until the graph changes.
      next.pointee.hasOtherInputs = false
      next.pointee.isPrepared = false
      chain.pointee.limit = count
      break
    }
    guard chain.pointee.members[count &- 1].state.pointee.dry.isIdle, !next.pointee.hasFailed,
      !next.pointee.isWaiting
    else { break }
    count &+= 1
  }
  return count
}

@_noLocks
private func exchange(
  _ chain: UnsafeMutablePointer<ChainState>, _ count: UInt32,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) -> Bool {
  let first = chain.pointee.members[0].state
  let now = crealtime_nanoseconds()
  if !first.pointee.isOffline { cisolation_stay_on_processor() }
  addPiece(first, buffers, frameCount)
  completeRequest(first)
  for chainIndex in 1 ..< count { prepare(chain, chainIndex, frameCount) }
  let isPassedOn = handOver(first, nodeCount: count)
  let isAnswered = isPassedOn && awaitAnswer(first, frameCount, from: now)
  let rendered = isAnswered ? cisolation_rendered_count(first.pointee.block, count) : 0
  for chainIndex in 1 ..< count {
    let state = chain.pointee.members[Int(chainIndex)].state
    let isOpen = chainIndex < rendered || isPassedOn && !isAnswered
    state.pointee.hasOpenRequest.store(isOpen, ordering: .relaxed)
    state.pointee.isAnswered = chainIndex < rendered
    if !isAnswered { leave(state, as: first) }
  }
  return isAnswered
}

/// Writes the block of a node after the first one.
@_noLocks
private func prepare(
  _ chain: UnsafeMutablePointer<ChainState>, _ chainIndex: UInt32, _ frameCount: UInt32
) {
  let first = chain.pointee.members[0].state
  let member = chain.pointee.members + Int(chainIndex)
  let state = member.pointee.state
  cisolation_chain_at(first.pointee.block, chainIndex).pointee = member.pointee.number
  let sources = state.pointee.layout.sources(state.pointee.block)
  for input in 0 ..< member.pointee.inputCount { sources[input] = member.pointee.sources[input] }
  addPiece(state, frameCount)
  completeRequest(state)
  state.pointee.isPrepared = true
  state.pointee.preparedInputs = member.pointee.inputs
  state.pointee.open = OpenRequest(
    first.pointee.block, owner: first.pointee.owner,
    number: first.pointee.request &+ 1, chainIndex: chainIndex)
  state.pointee.hasOpenRequest.store(true, ordering: .relaxed)
}

/// Bypasses a node after the first one, which got no answer.
@_noLocks
private func leave(
  _ state: UnsafeMutablePointer<IsolatedState>, as first: UnsafeMutablePointer<IsolatedState>
) {
  state.pointee.isPrepared = false
  if first.pointee.hasFailed {
    state.pointee.hasFailed = true
    // Pairs with the acquiring load in `IsolatedNode.fault`.
    state.pointee.fault.store(first.pointee.fault.load(ordering: .relaxed), ordering: .releasing)
    return
  }
  state.pointee.isWaiting = true
  state.pointee.waitsSince = first.pointee.waitsSince
  state.pointee.waited = 0
}

/// Takes the answer that the first node of the chain got; notes whether the inputs were others than the worker used.
/// [render]
///
/// Then a fade or a guard has changed the sound between the nodes in this block.
@_noLocks
func closePrepared(
  _ state: UnsafeMutablePointer<IsolatedState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  state.pointee.isPrepared = false
  state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
  guard let inputs = state.pointee.preparedInputs else { return }
  for channel in 0 ..< state.pointee.inputCount {
    guard let input = inputs[channel] else { continue }
    if !cisolation_is_same(buffers[channel], input, frameCount) {
      state.pointee.hasOtherInputs = true
    }
  }
}
