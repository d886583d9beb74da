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
  var handle: LV2_Handle
  var descriptor: UnsafePointer<LV2_Descriptor>
  /// Inputs, then outputs, as the step's buffers are.
  let audio: UnsafeMutableBufferPointer<AudioSlot>
  let parameters: UnsafeMutableBufferPointer<ParameterSlot>
  let atoms: UnsafeMutableBufferPointer<AtomSlot>
  let legacyEvents: LegacyEvents
  let hasTriggers: Bool
  /// Set for plugins that hand work to another thread.
  let worker: OpaquePointer?
  /// Counts calls of `setParameter`; what the parameters hold is copied only when it has changed.
  let changeCount = Atomic<UInt32>(0)
  /// The count at the last copy; render's alone.
  var copiedChangeCount: UInt32 = .max
  /// What stands for no buffer.
  let unconnected = Unconnected.row
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
  let gate: UnsafeMutablePointer<LV2Gate>?
  /// Set for plugins that have a state.
  let watch: UnsafeMutablePointer<LV2StateWatch>?

  /// Sets a parameter; heard from the next block on. [main]
  func set(_ index: Int, to value: Float) {
    parameters[index].bits.store(value.bitPattern, ordering: .relaxed)
    // Pairs with the acquiring load in `copyLV2Parameters`.
    changeCount.add(1, ordering: .releasing)
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

/// The step of a plugin that knows sound and parameters alone, as most do. [render, active]
///
/// What happens in nearly every block comes first and calls nothing but the plugin, last of all, so that
/// the host costs a cheap plugin little (Benchmarks/nodes).
@_noLocks
func runPlainLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  runPlain(state, buffers, frameCount, audioCount: state.pointee.audio.count)
}

/// The same for mono in and out, where the compiler knows how much there is to look at. [render, active]
@_noLocks
func runPlainMonoLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  runPlain(state, buffers, frameCount, audioCount: 2)
}

/// The same for stereo in and out. [render, active]
@_noLocks
func runPlainStereoLV2Step(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  runPlain(state, buffers, frameCount, audioCount: 4)
}

@inline(__always)
@_noLocks
private func runPlain(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32, audioCount: Int
) {
  if hasNews(state, buffers, audioCount: audioCount) {
    return tellAndRun(state, buffers, frameCount)
  }
  clv2_run(state.pointee.descriptor, state.pointee.handle, frameCount)
}

/// Whether a buffer has moved or a parameter has changed since the last run.
@inline(__always)
@_noLocks
private func hasNews(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, audioCount: Int
) -> Bool {
  var differs = UInt(
    state.pointee.changeCount.load(ordering: .relaxed) ^ state.pointee.copiedChangeCount)
  if let slots = state.pointee.audio.baseAddress {
    var index = 0
    while index < audioCount {
      differs |= UInt(bitPattern: slots[index].connected) ^ UInt(bitPattern: buffers[index])
      index &+= 1
    }
  }
  return differs != 0
}

@inline(never)
@_noLocks
private func tellAndRun(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  connectAudio(state, buffers)
  copyLV2Parameters(state)
  clv2_run(state.pointee.descriptor, state.pointee.handle, frameCount)
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
  // Pairs with the releasing addition in `set`.
  let count = state.pointee.changeCount.load(ordering: .acquiring)
  guard count != state.pointee.copiedChangeCount else { return }
  state.pointee.copiedChangeCount = count
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
