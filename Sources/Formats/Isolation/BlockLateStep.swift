// BlockLateStep.swift: renders a block of an isolated node whose answers are used one block later.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks or throws. A live node waits only if a block has more pieces than a
// request can contain.

internal import CIsolation
internal import CRealtime
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// Passes a block to the worker and writes the answers that are due; bypasses the node if they are missing. [render]
///
/// A node that is called for the pieces of a block passes them to the worker together.
@_noLocks @c(outboard_block_late_step)
func blockLateStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: IsolatedState.self)
  guard let delay = state.pointee.delay else { return }
  state.pointee.departures?.pointee.clear()
  delay.pointee.delay(buffers, unconnected: state.pointee.unconnected, frameCount)
  dropIncompleteBlock(state, delay, frameCount)
  if state.pointee.frameCount == 0 { collectAnswer(state, delay, frameCount) }
  // Before the request, whose answer replaces these frames.
  let isWet = delay.pointee.write(to: buffers + state.pointee.inputCount, frameCount)
  if let departures = state.pointee.departures {
    delay.pointee.write(to: departures, frameCount)
  }
  if state.pointee.hasFailed || state.pointee.isWaiting {
    dropRequest(state)
    delay.pointee.markGap()
  } else {
    request(state, delay, buffers, frameCount)
  }
  state.pointee.dry.finish(
    isWet: isWet, buffers, frameCount, inputs: delay.pointee.delayedInputs)
  delay.pointee.advance(frameCount)
}

/// Removes pieces of an earlier block whose other pieces never came, and pieces that would be more than a block.
@_noLocks
private func dropIncompleteBlock(
  _ state: UnsafeMutablePointer<IsolatedState>, _ delay: UnsafeMutablePointer<BlockDelay>,
  _ frameCount: UInt32
) {
  guard state.pointee.frameCount > 0,
    delay.pointee.blockStart != blockStart(state)
      || state.pointee.frameCount &+ Int(frameCount) > state.pointee.layout.strideFrames
  else { return }
  dropRequest(state)
  delay.pointee.markGap()
}

/// The start of the current block, in ns; 0 if it is unknown.
@_noLocks
private func blockStart(_ state: UnsafeMutablePointer<IsolatedState>) -> UInt64 {
  state.pointee.transport?.pointee.blockTime?.start.pointee ?? 0
}

/// Takes the answer to the request of the last block.
@_noLocks
private func collectAnswer(
  _ state: UnsafeMutablePointer<IsolatedState>, _ delay: UnsafeMutablePointer<BlockDelay>,
  _ frameCount: UInt32
) {
  guard state.pointee.hasOpenRequest.load(ordering: .relaxed), !state.pointee.hasFailed else {
    return
  }
  guard !state.pointee.isWaiting else {
    _ = catchUp(state)
    return
  }
  let isAnswered =
    state.pointee.isOffline
    ? awaitAnswer(state, frameCount, from: crealtime_nanoseconds())
    : isAnswered(state, delay)
  if isAnswered { keepAnswer(state, delay) }
}

/// Whether the request of the last block is answered; does not wait.
@_noLocks
private func isAnswered(
  _ state: UnsafeMutablePointer<IsolatedState>, _ delay: UnsafeMutablePointer<BlockDelay>
) -> Bool {
  switch state.pointee.open.state {
  case Int32(CISOLATION_ANSWERED):
    recordAnswer(state)
    return true
  case Int32(CISOLATION_LATE):
    recordLate(
      state, delay.pointee.requestFrameCount, from: delay.pointee.requestTime,
      until: crealtime_nanoseconds())
  default: fail(state, .ended)
  }
  return false
}

@_noLocks
private func keepAnswer(
  _ state: UnsafeMutablePointer<IsolatedState>, _ delay: UnsafeMutablePointer<BlockDelay>
) {
  delay.pointee.keep(
    state.pointee.layout, state.pointee.block, firstOutput: state.pointee.inputCount)
}

/// Adds frames to the request, and passes it to the worker when the block is complete.
@_noLocks
private func request(
  _ state: UnsafeMutablePointer<IsolatedState>, _ delay: UnsafeMutablePointer<BlockDelay>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  if delay.pointee.blockStart != blockStart(state) {
    delay.pointee.blockStart = blockStart(state)
    delay.pointee.blockFrameCount = 0
  }
  if state.pointee.frameCount == 0 { delay.pointee.beginRequest() }
  addPiece(state, buffers, frameCount)
  delay.pointee.blockFrameCount &+= Int(frameCount)
  let blockFrames = state.pointee.transport?.pointee.blockTime?.frameCount.pointee ?? 0
  let isComplete = delay.pointee.blockFrameCount >= blockFrames
  guard isComplete || !hasRoom(state) else { return }
  let now = crealtime_nanoseconds()
  delay.pointee.requestTime = now
  delay.pointee.requestFrameCount = UInt32(truncatingIfNeeded: state.pointee.frameCount)
  completeRequest(state)
  guard handOver(state), !isComplete else { return }
  if awaitAnswer(state, frameCount, from: now) { keepAnswer(state, delay) }
}
