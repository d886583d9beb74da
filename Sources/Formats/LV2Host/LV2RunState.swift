// LV2RunState.swift: the render state of an LV2 node and its step. SPDX-License-Identifier: MIT
//
// Real-time safe: no allocation, freeing, locks, waiting, errors or logging. LV2RunState+Setup.swift allocates and
// frees it.

internal import CLV2Support
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// An audio or CV port with its last connected buffer.
struct AudioSlot {
  let port: UInt32
  var connected: UnsafeMutablePointer<Float>
  /// The buffer for an unconnected port with its default; nil for an optional port.
  let rest: UnsafeMutablePointer<Float>?
}

/// The value of a parameter between the main thread and the plugin.
struct ParameterSlot: ~Copyable {
  /// The memory of the control port, which the plugin reads in `run`.
  let control: UnsafeMutablePointer<Float>
  /// The value last set, as bits: written by the main thread, read by the audio thread.
  let bits: Atomic<UInt32>
  /// Whether the value resets to `defaultBits` after one run.
  let isTrigger: Bool
  /// The value at rest, as bits.
  let defaultBits: UInt32
  /// Whether `control` does not follow `bits`. [render]
  var isHeld = false
}

/// The data of `step`, at a fixed address, created by an `LV2Node`.
struct LV2RunState: ~Copyable {
  /// The instance, and whether a new parameter value is not copied yet.
  let fixed: UnsafeMutablePointer<clv2_prebound>
  /// Inputs, then outputs, as the step's buffers are.
  let audio: UnsafeMutableBufferPointer<AudioSlot>
  let parameters: UnsafeMutableBufferPointer<ParameterSlot>
  let atoms: UnsafeMutableBufferPointer<AtomSlot>
  let legacyEvents: LegacyEvents
  let hasTriggers: Bool
  /// Set for plugins that use the worker.
  let worker: OpaquePointer?
  /// The index that means "no buffer".
  let unconnected = UnconnectedInput.row
  /// Whether the messages for the first frame of the block are written.
  var hasStarted = false
  /// Property messages, owned by `LV2Properties`; nil if there are none.
  var patch: UnsafeMutablePointer<LV2PatchState>?
  /// Musical time; nil if the plugin does not use it.
  let time: UnsafeMutablePointer<LV2TimeState>?
  /// The MIDI of the plugin's last run; nil if it sends none.
  let sentEvents: UnsafeMutablePointer<EventQueue>?
  /// The number of lost messages to the plugin.
  var droppedEvents = 0
  /// The type of a MIDI message in a sequence.
  let midiType: UInt32
  /// The type of an atom input: a sequence.
  let sequenceType: UInt32
  /// The type of an atom output before the run: a chunk.
  let chunkType: UInt32
  /// Set for plugins that must not run during a restore.
  let gate: UnsafeMutablePointer<LV2RenderLock>?
  /// Set for plugins that have a state.
  let watch: UnsafeMutablePointer<LV2StateMonitor>?

  var handle: LV2_Handle { @_noLocks get { fixed.pointee.handle } }
  var descriptor: UnsafePointer<LV2_Descriptor> { @_noLocks get { fixed.pointee.descriptor } }

  /// Sets a parameter from the next block on. [main]
  func set(_ index: Int, to value: Float) {
    parameters[index].bits.store(value.bitPattern, ordering: .relaxed)
    clv2_mark_changed(fixed)
  }

  /// Returns the value last set. [main]
  func value(_ index: Int) -> Float {
    Float(bitPattern: parameters[index].bits.load(ordering: .relaxed))
  }
}

// MARK: - Render

/// The step of an LV2 node: connects moved buffers and runs the plugin once. [render, active]
@_noLocks
func runLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  guard enterLV2Gate(state, buffers, frameCount) else { return }
  connectAudio(state, buffers)
  copyLV2Parameters(state)
  runLV2Instance(state, frameCount)
  if state.pointee.hasTriggers { resetTriggers(state) }
  if let gate = state.pointee.gate { gate.pointee.endBlock(buffers, frameCount) }
}

/// Connects moved buffers, for a render sequence that calls `clv2_fixed_step`. [render, active]
@_noLocks @c(outboard_begin_fixed_lv2_step)
func beginFixedLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let fixed = context.assumingMemoryBound(to: clv2_prebound.self)
  connectAudio(fixed.pointee.state.assumingMemoryBound(to: LV2RunState.self), buffers)
}

/// Copies changed values to the plugin, for `clv2_fixed_step`. [render, active]
@_noLocks @c(outboard_tell_fixed_lv2_step)
func updatePreboundStep(_ state: UnsafeMutableRawPointer) {
  copyLV2Parameters(state.assumingMemoryBound(to: LV2RunState.self))
}

/// Runs the plugin once on the connected buffers, with all events and messages.
/// [render, or main while inactive]
@_noLocks
func runLV2Instance(_ state: UnsafeMutablePointer<LV2RunState>, _ frameCount: UInt32) {
  beginInputs(state)
  openOutputs(state)
  state.pointee.legacyEvents.openOutputs()
  if let worker = state.pointee.worker { clv2_worker_deliver_restored(worker) }
  clv2_run(state.pointee.descriptor, state.pointee.handle, frameCount)
  collectEvents(state, frameCount)
  state.pointee.legacyEvents.clearInputs()
  clearInputs(state)
  if let worker = state.pointee.worker { clv2_worker_deliver(worker) }
  watchLV2State(state)
}

/// Connects buffers that have moved, which is rare in a render sequence.
@_noLocks
private func connectAudio(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>
) {
  let count = state.pointee.audio.count
  guard let slots = state.pointee.audio.baseAddress else { return }
  for index in 0 ..< count where slots[index].connected != buffers[index] {
    slots[index].connected = buffers[index]
    let isConnected = buffers[index] != state.pointee.unconnected
    clv2_connect(
      state.pointee.descriptor, state.pointee.handle, slots[index].port,
      UnsafeMutableRawPointer(isConnected ? buffers[index] : slots[index].rest))
  }
}

/// Copies changed values to the plugin. [render, or main while inactive]
@_noLocks
func copyLV2Parameters(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard clv2_take_changed(state.pointee.fixed) else { return }
  let slotCount = state.pointee.parameters.count
  guard let slots = state.pointee.parameters.baseAddress else { return }
  for index in 0 ..< slotCount where !slots[index].isHeld {
    slots[index].control.pointee = Float(
      bitPattern: slots[index].bits.load(ordering: .relaxed))
  }
}

/// Sets a parameter for the next run; ignores an unknown parameter. [render, active]
@_noLocks @c(outboard_lv2_parameter)
func setLV2Parameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  guard let slots = state.pointee.parameters.baseAddress,
    Int(index) < state.pointee.parameters.count
  else { return }
  slots[Int(index)].bits.store(value.bitPattern, ordering: .relaxed)
  slots[Int(index)].control.pointee = value
}

/// Holds a parameter at a value, or lets it take the stored one; ignores an unknown parameter. [render, active]
@_noLocks @c(outboard_lv2_hold)
func holdLV2Parameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isHeld: Bool
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  guard let slots = state.pointee.parameters.baseAddress,
    Int(index) < state.pointee.parameters.count
  else { return }
  let index = Int(index)
  slots[index].isHeld = isHeld
  slots[index].control.pointee =
    isHeld ? value : Float(bitPattern: slots[index].bits.load(ordering: .relaxed))
}

/// Returns the stored value of a parameter; 0 for an unknown one. [render, active]
@_noLocks @c(outboard_lv2_stored)
func storedLV2Value(_ context: UnsafeMutableRawPointer, _ index: UInt32) -> Float {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  guard let slots = state.pointee.parameters.baseAddress,
    Int(index) < state.pointee.parameters.count
  else { return 0 }
  return Float(bitPattern: slots[Int(index)].bits.load(ordering: .relaxed))
}

/// Resets triggers after one run, unless they were set again meanwhile.
@_noLocks
private func resetTriggers(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.parameters.count
  guard let slots = state.pointee.parameters.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isTrigger {
    let used = slots[index].control.pointee.bitPattern
    guard used != slots[index].defaultBits else { continue }
    slots[index].control.pointee = Float(bitPattern: slots[index].defaultBits)
    _ = slots[index].bits.compareExchange(
      expected: used, desired: slots[index].defaultBits, ordering: .relaxed)
  }
}
