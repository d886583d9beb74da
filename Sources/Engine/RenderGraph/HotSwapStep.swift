// HotSwapStep.swift: crossfades one node's output to that of another. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. HotSwapNode.swift creates and frees its
// memory.

import CRealtime
import PluginModel
import RealtimeKit
import Synchronization

/// A node as the render thread calls it: plain data, which the main thread allocates and frees.
struct HotSwapTarget {
  let function: crealtime_step_function
  let context: UnsafeMutableRawPointer
  /// The MIDI input of the node; nil if it has none.
  let events: NodeEventInput?
  /// The parameter input of the node; nil if it has no parameters.
  let parameters: NodeParameterInput?
}

/// The context of the step of a `HotSwapNode`, at a fixed address.
struct HotSwapState: ~Copyable {
  let inputCount: Int
  let outputCount: Int
  /// The gains of the new node.
  let curve: FadeCurve
  /// The warm-up, in frames: the new node runs muted while its inputs fade in.
  ///
  /// This fills its delay lines, and it stores no edge.
  let warmUpFrameCount: Int
  /// The input buffers, then own buffers for the outputs.
  let fadeBuffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Own buffers only, for inputs that fade in and for muted outputs.
  let internalBuffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// The memory of the own buffers.
  let samples: UnsafeMutablePointer<Float>
  /// The active node.
  var current: UnsafeMutablePointer<HotSwapTarget>
  /// The new node, and the frames since it came; nil if there is none.
  var coming: UnsafeMutablePointer<HotSwapTarget>?
  var warmedFrameCount = 0
  var fadedFrameCount = 0
  /// The node that the main thread requested.
  let wanted = Atomic<UnsafeMutablePointer<HotSwapTarget>?>(nil)
  /// The replaced node, which waits to be freed.
  let retired = Atomic<UnsafeMutablePointer<HotSwapTarget>?>(nil)

  /// Creates a state with one node. [main]
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
    fadeBuffers = .allocate(capacity: max(1, rowCount))
    internalBuffers = .allocate(capacity: max(1, rowCount))
    samples = .allocate(capacity: max(1, rowCount * maximumFrameCount))
    samples.initialize(repeating: 0, count: max(1, rowCount * maximumFrameCount))
    for row in 0 ..< rowCount { internalBuffers[row] = samples + row * maximumFrameCount }
    for row in inputCount ..< rowCount { fadeBuffers[row] = internalBuffers[row] }
    current = target
  }

  /// Returns the warm-up of a new node without its latency, in frames: the fade-in of its inputs,
  /// and the same time again for its memory of that. [main]
  static func warmUpFrames(sampleRateHz: Double) -> Int {
    Int(2 * FadeCurve.seconds * sampleRateHz)
  }

  deinit {
    fadeBuffers.deallocate()
    internalBuffers.deallocate()
    samples.deallocate()
  }
}

/// Runs the active node, and the new one in parallel. [render]
@_noLocks @c(outboard_swap_step)
func swapStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  takeRequested(state)
  guard let coming = state.pointee.coming else {
    run(state.pointee.current, buffers, frameCount)
    return
  }
  let inputCount = state.pointee.inputCount
  guard state.pointee.warmedFrameCount >= state.pointee.warmUpFrameCount else {
    // Before the old node runs, which may write to its input buffers.
    fadeInputs(state, buffers, Int(frameCount))
    run(state.pointee.current, buffers, frameCount)
    run(coming, UnsafePointer(state.pointee.internalBuffers), frameCount)
    state.pointee.warmedFrameCount = state.pointee.warmedFrameCount &+ Int(frameCount)
    return
  }
  for channel in 0 ..< inputCount {
    state.pointee.fadeBuffers[channel] = state.pointee.internalBuffers[channel]
    crealtime_copy(state.pointee.fadeBuffers[channel], buffers[channel], frameCount)
  }
  run(state.pointee.current, UnsafePointer(state.pointee.fadeBuffers), frameCount)
  run(coming, buffers, frameCount)
  mix(state, buffers + inputCount, Int(frameCount))
  guard state.pointee.fadedFrameCount >= state.pointee.curve.frameCount else { return }
  let old = state.pointee.current
  state.pointee.current = coming
  state.pointee.coming = nil
  // Pairs with the acquiring exchange in `HotSwapNode.collect`: the node's last block is complete.
  state.pointee.retired.store(old, ordering: .releasing)
}

/// Begins a crossfade if one is requested and the node replaced last was collected.
@_noLocks
private func takeRequested(_ state: UnsafeMutablePointer<HotSwapState>) {
  guard state.pointee.wanted.load(ordering: .relaxed) != nil, state.pointee.coming == nil,
    state.pointee.retired.load(ordering: .relaxed) == nil,
    // Pairs with the releasing exchange in `HotSwapNode.replace`.
    let target = state.pointee.wanted.exchange(nil, ordering: .acquiring)
  else { return }
  state.pointee.coming = target
  state.pointee.warmedFrameCount = 0
  state.pointee.fadedFrameCount = 0
}

/// Copies the inputs into own buffers, with the gain of their fade-in.
@_noLocks
private func fadeInputs(
  _ state: UnsafeMutablePointer<HotSwapState>,
  _ inputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  let start = min(state.pointee.warmedFrameCount, state.pointee.curve.frameCount)
  let count = min(frameCount, state.pointee.curve.frameCount &- start)
  let curve = state.pointee.curve.gains + start
  for channel in 0 ..< state.pointee.inputCount {
    let (input, row) = (inputs[channel], state.pointee.internalBuffers[channel])
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

/// Crossfades from the old node's audio in the buffers of the state to the new node's audio in the outputs.
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
    let old = state.pointee.fadeBuffers[state.pointee.inputCount &+ channel]
    // If both nodes output the same samples, these pass unchanged.
    for frame in 0 ..< count { new[frame] = old[frame] + (new[frame] - old[frame]) * curve[frame] }
  }
  state.pointee.fadedFrameCount = start &+ count
}

/// Passes a message to the active and the new node. [render]
@_noLocks @c(outboard_swap_event)
func receiveSwapEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  // A node that starts with this block must not miss the block's events.
  takeRequested(state)
  if let events = state.pointee.current.pointee.events {
    crealtime_send_event(events.function, events.context, frame, bytes, byteCount)
  }
  if let events = state.pointee.coming?.pointee.events {
    crealtime_send_event(events.function, events.context, frame, bytes, byteCount)
  }
}

/// Passes a parameter value to the active and the new node. [render]
@_noLocks @c(outboard_swap_parameter)
func takeSwapParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  takeRequested(state)
  if let input = state.pointee.current.pointee.parameters {
    crealtime_set_parameter(input.function, input.context, index, value, isJump)
  }
  if let input = state.pointee.coming?.pointee.parameters {
    crealtime_set_parameter(input.function, input.context, index, value, isJump)
  }
}

/// Holds a parameter of the active and the new node. [render]
@_noLocks @c(outboard_swap_hold)
func holdSwapParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isHeld: Bool
) {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  if let input = state.pointee.current.pointee.parameters, let hold = input.hold {
    crealtime_set_parameter(hold.function, input.context, index, value, isHeld)
  }
  if let input = state.pointee.coming?.pointee.parameters, let hold = input.hold {
    crealtime_set_parameter(hold.function, input.context, index, value, isHeld)
  }
}

/// Returns the stored value of the new node, or of the active one if there is none. [render]
@_noLocks @c(outboard_swap_stored)
func storedSwapValue(_ context: UnsafeMutableRawPointer, _ index: UInt32) -> Float {
  let state = context.assumingMemoryBound(to: HotSwapState.self)
  takeRequested(state)
  let target = state.pointee.coming ?? state.pointee.current
  guard let input = target.pointee.parameters, let hold = input.hold else { return 0 }
  return crealtime_stored_value(hold.stored, input.context, index)
}
