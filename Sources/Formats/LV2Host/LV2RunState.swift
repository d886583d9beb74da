// LV2RunState.swift: what the audio thread touches of an LV2 node, and what it does. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. LV2RunState+Setup.swift
// holds what makes and frees it.

internal import CLV2Support
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// An audio or control-voltage port and the buffer that it was last connected to.
struct AudioSlot {
  let port: UInt32
  var connected: UnsafeMutablePointer<Float>
  /// What the port is given where nothing is connected: a row of its default, or nil for a port that
  /// may be left alone.
  let rest: UnsafeMutablePointer<Float>?
}

/// A parameter on its way from the main thread to the plugin.
struct ParameterSlot: ~Copyable {
  /// The control port's memory; the plugin reads it in `run`.
  let control: UnsafeMutablePointer<Float>
  /// The value last set, as bits: main writes, render reads.
  let bits: Atomic<UInt32>
  /// Whether the value goes back to `restBits` after one run.
  let isTrigger: Bool
  /// The value at rest, as bits.
  let restBits: UInt32
}

/// Everything that `step` needs, at a fixed address, made by an `LV2Node`.
struct LV2RunState: ~Copyable {
  /// The instance, and whether a parameter was set that has not been copied.
  let fixed: UnsafeMutablePointer<clv2_prebound>
  /// Inputs, then outputs, as the step's buffers are.
  let audio: UnsafeMutableBufferPointer<AudioSlot>
  let parameters: UnsafeMutableBufferPointer<ParameterSlot>
  let atoms: UnsafeMutableBufferPointer<AtomSlot>
  let legacyEvents: LegacyEvents
  let hasTriggers: Bool
  /// Set for plugins that hand work to another thread.
  let worker: OpaquePointer?
  /// What stands for no buffer.
  let unconnected = UnconnectedInput.row
  /// Whether what stands at the first frame of the block is in the inputs.
  var isBegun = false
  /// Messages about properties, which belong to `LV2Properties`; nil where there are none.
  var patch: UnsafeMutablePointer<LV2PatchState>?
  /// Musical time; nil where the plugin wants none.
  let time: UnsafeMutablePointer<LV2TimeState>?
  /// The MIDI of the plugin's last run; nil for one that sends none.
  let sentEvents: UnsafeMutablePointer<EventQueue>?
  /// Messages for the plugin that found no room.
  var droppedEvents = 0
  /// The type of a MIDI message in a sequence.
  let midiType: UInt32
  /// The type of an atom input: a sequence.
  let sequenceType: UInt32
  /// The type of an atom output before the run: a chunk.
  let chunkType: UInt32
  /// Set for plugins that must not run while their state is restored.
  let gate: UnsafeMutablePointer<LV2RenderLock>?
  /// Set for plugins that have a state.
  let watch: UnsafeMutablePointer<LV2StateMonitor>?

  var handle: LV2_Handle { @_noLocks get { fixed.pointee.handle } }
  var descriptor: UnsafePointer<LV2_Descriptor> { @_noLocks get { fixed.pointee.descriptor } }

  /// Sets a parameter; heard from the next block on. [main]
  func set(_ index: Int, to value: Float) {
    parameters[index].bits.store(value.bitPattern, ordering: .relaxed)
    clv2_mark_changed(fixed)
  }

  /// The value last set. [main]
  func value(_ index: Int) -> Float {
    Float(bitPattern: parameters[index].bits.load(ordering: .relaxed))
  }
}

// MARK: - Render

/// The step of an LV2 node: connects what has moved, and runs the plugin once. [render, active]
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
  if state.pointee.hasTriggers { restTriggers(state) }
  if let gate = state.pointee.gate { gate.pointee.leave(buffers, frameCount) }
}

/// Connects what has moved, for a program that calls `clv2_fixed_step`. [render, active]
@_noLocks @c(outboard_begin_fixed_lv2_step)
func beginFixedLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let fixed = context.assumingMemoryBound(to: clv2_prebound.self)
  connectAudio(fixed.pointee.state.assumingMemoryBound(to: LV2RunState.self), buffers)
}

/// Hands changed values to the plugin, for `clv2_fixed_step`. [render, active]
@_noLocks @c(outboard_tell_fixed_lv2_step)
func tellFixedLV2Step(_ state: UnsafeMutableRawPointer) {
  copyLV2Parameters(state.assumingMemoryBound(to: LV2RunState.self))
}

/// Runs the plugin once on what is connected, with all that goes in and comes out beside the sound.
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

/// Tells the plugin of buffers that are not where they were: in a program, nearly never.
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

/// Hands changed values to the plugin. [render, or main while inactive]
@_noLocks
func copyLV2Parameters(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard clv2_take_changed(state.pointee.fixed) else { return }
  let slotCount = state.pointee.parameters.count
  guard let slots = state.pointee.parameters.baseAddress else { return }
  for index in 0 ..< slotCount {
    slots[index].control.pointee = Float(
      bitPattern: slots[index].bits.load(ordering: .relaxed))
  }
}

/// Sets a parameter for the run that comes next; one that does not exist is left alone. [render, active]
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

/// Puts triggers back after their one run, unless they were set again meanwhile.
@_noLocks
private func restTriggers(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.parameters.count
  guard let slots = state.pointee.parameters.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isTrigger {
    let used = slots[index].control.pointee.bitPattern
    guard used != slots[index].restBits else { continue }
    slots[index].control.pointee = Float(bitPattern: slots[index].restBits)
    _ = slots[index].bits.compareExchange(
      expected: used, desired: slots[index].restBits, ordering: .relaxed)
  }
}
