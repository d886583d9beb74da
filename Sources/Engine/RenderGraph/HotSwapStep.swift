// HotSwapStep.swift: one node's sound faded into another's. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. HotSwapNode.swift makes and frees what it works on.

import CRealtime
import PluginModel
import Synchronization

/// A node as the render thread calls it: plain data, which the main thread allocates and frees.
struct HotSwapTarget {
  let function: crealtime_step_function
  let context: UnsafeMutableRawPointer
  /// Where it takes MIDI; nil if it takes none.
  let events: NodeEventInput?
  /// Where it takes values for its parameters; nil if it has none.
  let parameters: NodeParameterInput?
}

/// What the step of a `HotSwapNode` works on, at a fixed address.
struct HotSwapState: ~Copyable {
  let inputCount: Int
  let outputCount: Int
  /// Gains of the one that comes in.
  let curve: FadeCurve
  /// Frames in which what comes in hears the inputs, faded in, before it is heard: what it delays has come
  /// out by then, and what it keeps of its inputs begins without an edge.
  let warmUpFrameCount: Int
  /// The inputs, then rows of its own for what goes out.
  let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Rows of its own alone, for inputs that fade in and for what is not heard.
  let ownRows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// What the rows of its own stand in.
  let samples: UnsafeMutablePointer<Float>
  /// What is heard.
  var current: UnsafeMutablePointer<HotSwapTarget>
  /// What comes in, and how far it has come; nil at rest.
  var coming: UnsafeMutablePointer<HotSwapTarget>?
  var warmedFrameCount = 0
  var fadedFrameCount = 0
  /// What the main thread wants to be heard.
  let wanted = Atomic<UnsafeMutablePointer<HotSwapTarget>?>(nil)
  /// What is heard no longer, and waits to be freed.
  let gone = Atomic<UnsafeMutablePointer<HotSwapTarget>?>(nil)

  /// A state that has one node. [main]
  init(
    _ target: UnsafeMutablePointer<HotSwapTarget>, inputCount: Int, outputCount: Int,
    latencyFrames: Int, maximumFrameCount: Int, sampleRateHz: Double
  ) {
    self.inputCount = inputCount
    self.outputCount = outputCount
    curve = FadeCurve(sampleRateHz: sampleRateHz)
    warmUpFrameCount =
      inputCount > 0 ? Self.warmUpFrames(sampleRateHz: sampleRateHz) + latencyFrames : 0
    let rowCount = inputCount + outputCount
    rows = .allocate(capacity: max(1, rowCount))
    ownRows = .allocate(capacity: max(1, rowCount))
    samples = .allocate(capacity: max(1, rowCount * maximumFrameCount))
    samples.initialize(repeating: 0, count: max(1, rowCount * maximumFrameCount))
    for row in 0 ..< rowCount { ownRows[row] = samples + row * maximumFrameCount }
    for row in inputCount ..< rowCount { rows[row] = ownRows[row] }
    current = target
  }

  /// How long a new node hears its inputs before it is heard, beside what it delays them by: while they
  /// fade in, and as long again for what it remembers of how they did. [main]
  static func warmUpFrames(sampleRateHz: Double) -> Int {
    Int(2 * FadeCurve.seconds * sampleRateHz)
  }

  deinit {
    rows.deallocate()
    ownRows.deallocate()
    samples.deallocate()
  }
}

/// Runs what is heard, and what comes in beside it. [render]
@_noLocks @c(outboard_swap_step)
func swapStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  takeWanted(state)
  guard let coming = state.pointee.coming else {
    run(state.pointee.current, buffers, frameCount)
    return
  }
  let inputCount = state.pointee.inputCount
  guard state.pointee.warmedFrameCount >= state.pointee.warmUpFrameCount else {
    // Before the old one runs, which may write to its inputs.
    fadeInputs(state, buffers, Int(frameCount))
    run(state.pointee.current, buffers, frameCount)
    run(coming, UnsafePointer(state.pointee.ownRows), frameCount)
    state.pointee.warmedFrameCount = state.pointee.warmedFrameCount &+ Int(frameCount)
    return
  }
  for channel in 0 ..< inputCount {
    state.pointee.rows[channel] = state.pointee.ownRows[channel]
    crealtime_copy(state.pointee.rows[channel], buffers[channel], frameCount)
  }
  run(state.pointee.current, UnsafePointer(state.pointee.rows), frameCount)
  run(coming, buffers, frameCount)
  mix(state, buffers + inputCount, Int(frameCount))
  guard state.pointee.fadedFrameCount >= state.pointee.curve.frameCount else { return }
  let old = state.pointee.current
  state.pointee.current = coming
  state.pointee.coming = nil
  // Pairs with the acquiring exchange in `HotSwapNode.collect`: its last block is over.
  state.pointee.gone.store(old, ordering: .releasing)
}

/// Begins a fade, if one is wanted and what the last one left has been collected.
@_noLocks
private func takeWanted(_ state: UnsafeMutablePointer<HotSwapState>) {
  guard state.pointee.wanted.load(ordering: .relaxed) != nil, state.pointee.coming == nil,
    state.pointee.gone.load(ordering: .relaxed) == nil,
    // Pairs with the releasing exchange in `HotSwapNode.replace`.
    let target = state.pointee.wanted.exchange(nil, ordering: .acquiring)
  else { return }
  state.pointee.coming = target
  state.pointee.warmedFrameCount = 0
  state.pointee.fadedFrameCount = 0
}

/// Puts the inputs into rows of its own, as loud as what comes in may hear them by now.
@_noLocks
private func fadeInputs(
  _ state: UnsafeMutablePointer<HotSwapState>,
  _ inputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  let start = min(state.pointee.warmedFrameCount, state.pointee.curve.frameCount)
  let count = min(frameCount, state.pointee.curve.frameCount &- start)
  let curve = state.pointee.curve.gains + start
  for channel in 0 ..< state.pointee.inputCount {
    let (input, row) = (inputs[channel], state.pointee.ownRows[channel])
    for frame in 0 ..< count { row[frame] = input[frame] * curve[frame] }
    for frame in count ..< frameCount { row[frame] = input[frame] }
  }
}

@_noLocks
private func run(
  _ target: UnsafeMutablePointer<HotSwapTarget>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  var step = crealtime_step(
    function: target.pointee.function, context: target.pointee.context, buffers: buffers)
  crealtime_call_step(&step, frameCount)
}

/// Fades from the rows of its own into the outputs, which hold what comes in.
@_noLocks
private func mix(
  _ state: UnsafeMutablePointer<HotSwapState>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  let start = state.pointee.fadedFrameCount
  let count = min(frameCount, state.pointee.curve.frameCount &- start)
  let curve = state.pointee.curve.gains + start
  for channel in 0 ..< state.pointee.outputCount {
    let new = outputs[channel]
    let old = state.pointee.rows[state.pointee.inputCount &+ channel]
    // Where both sound the same it is passed on to the last bit.
    for frame in 0 ..< count { new[frame] = old[frame] + (new[frame] - old[frame]) * curve[frame] }
  }
  state.pointee.fadedFrameCount = start &+ count
}

/// Takes a message for whatever is heard, now or soon. [render]
@_noLocks @c(outboard_swap_event)
func takeSwapEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  // What comes in with this block must not miss the block's events.
  takeWanted(state)
  if let events = state.pointee.current.pointee.events {
    crealtime_send_event(events.function, events.context, frame, bytes, byteCount)
  }
  if let events = state.pointee.coming?.pointee.events {
    crealtime_send_event(events.function, events.context, frame, bytes, byteCount)
  }
}

/// Takes a value for whatever is heard, now or soon. [render]
@_noLocks @c(outboard_swap_parameter)
func takeSwapParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  takeWanted(state)
  if let input = state.pointee.current.pointee.parameters {
    crealtime_set_parameter(input.function, input.context, index, value, isJump)
  }
  if let input = state.pointee.coming?.pointee.parameters {
    crealtime_set_parameter(input.function, input.context, index, value, isJump)
  }
}
