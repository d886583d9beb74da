// ModuleState.swift: what the render thread knows of a module's instance, and how it calls it. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. ModuleNode.swift makes
// and frees it. Sources/SDK/LV2Shim/step.c does the same for modules in other hosts, to the sample.

import CModule
import CRealtime
import RealtimeKit
import Synchronization

/// One parameter on its way to a value.
struct ParameterRamp: BitwiseCopyable {
  /// What the module is given.
  var value: Float
  /// Where it goes.
  var target: Float
  /// How far it moves in each slice; a ramp is counted back from its target, so that rounding can
  /// neither add up nor carry it past.
  var step: Float
  /// Slices that are still to come; 0 at rest.
  var remainingSlices: Int
  /// How many slices a whole ramp takes; 0 for a jump.
  let rampSlices: Int
}

/// An instance of a module as its step sees it, at a fixed address.
struct ModuleState: ~Copyable {
  /// A ramp is a staircase of steps this long, in frames: 1.5 thousand a second at 48 kHz.
  static var sliceFrames: Int { @_noLocks get { 32 } }

  /// Room for MIDI of the graph that only ends of notes may take, in bytes.
  static var sparedEventBytes: Int { @_noLocks get { 16_384 } }

  let process: cmodule_process
  let midi: cmodule_midi?
  /// What `create` returned.
  let state: UnsafeMutableRawPointer?
  let inputCount: Int
  let outputCount: Int
  /// The longest block that the module takes.
  let maximumFrameCount: Int
  let parameterCount: Int
  /// Set by the main thread, each a float's bit pattern.
  let targets: UnsafeMutablePointer<Atomic<UInt32>>
  let glides: UnsafeMutablePointer<ParameterRamp>
  /// What the module is handed, in the order of the manifest.
  let values: UnsafeMutablePointer<Float>
  /// Shifted channel pointers for a part of a block.
  let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// MIDI on its way to the module, stamped with the frame of the stream.
  let events: MessageRing
  /// MIDI from the graph, stamped likewise; written and read by the render thread.
  let arrivals: MessageRing
  /// Messages of the graph that found no room.
  var droppedEvents = 0
  let eventBytes: UnsafeMutableRawPointer
  /// Frames that the module has been given since it was made.
  let position = Atomic<UInt64>(0)
  /// Whether a value is on its way.
  var isGliding = false
  /// What keeps the render thread out while the main thread saves or restores.
  var hold: ModuleRenderLock
  /// What the module measures.
  let readouts: ModuleReadouts
  /// Parameters that stand for one call.
  let triggers: ModuleTriggers

  deinit {
    targets.deinitialize(count: parameterCount)
    targets.deallocate()
    glides.deallocate()
    values.deallocate()
    inputs.deallocate()
    outputs.deallocate()
    eventBytes.deallocate()
  }
}

/// Runs a module that takes blocks of any length, or up to a maximum. [render]
@_noLocks @c(outboard_module_step)
func moduleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  takeParameters(module)
  let total = Int(frameCount)
  if !module.pointee.isGliding, total <= module.pointee.maximumFrameCount {
    runWhole(module, buffers, total)
  } else {
    var done = 0
    while done < total {
      done &+= runPart(module, buffers, from: done, atMost: total &- done)
    }
  }
  module.pointee.readouts.tell(module.pointee.state)
}

/// Runs a module whose blocks must not be cut, in one call; a ramp moves by as many slices as begin
/// in the block. [render]
@_noLocks @c(outboard_uncut_module_step)
func uncutModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  takeParameters(module)
  let start = Int(truncatingIfNeeded: module.pointee.position.load(ordering: .relaxed))
  let end = start &+ Int(frameCount)
  var slices = slicesBegun(before: end) &- slicesBegun(before: start)
  while slices > 0, module.pointee.isGliding {
    moveParameters(module)
    slices &-= 1
  }
  runWhole(module, buffers, Int(frameCount))
  module.pointee.readouts.tell(module.pointee.state)
}

/// How many slices of the stream's grid begin before a frame.
@_noLocks
private func slicesBegun(before frame: Int) -> Int {
  (frame &+ (ModuleState.sliceFrames &- 1)) / ModuleState.sliceFrames
}

/// Runs part of a block, as long as the module and a ramp allow, and returns its length in frames.
@_noLocks
private func runPart(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, atMost count: Int
) -> Int {
  var part = min(count, module.pointee.maximumFrameCount)
  if module.pointee.isGliding {
    // Slices lie on a grid of the stream, not of the block, so that a ramp does not depend on it.
    let position = Int(truncatingIfNeeded: module.pointee.position.load(ordering: .relaxed))
    part = min(part, ModuleState.sliceFrames &- position % ModuleState.sliceFrames)
    if position % ModuleState.sliceFrames == 0 { moveParameters(module) }
  }
  let inputCount = module.pointee.inputCount
  for channel in 0 ..< inputCount { module.pointee.inputs[channel] = buffers[channel] + start }
  for channel in 0 ..< module.pointee.outputCount {
    module.pointee.outputs[channel] = buffers[inputCount &+ channel] + start
  }
  deliverEvents(module, part)
  cmodule_run(
    module.pointee.process, module.pointee.state, UnsafePointer(module.pointee.inputs),
    UnsafePointer(module.pointee.outputs), module.pointee.values, UInt32(truncatingIfNeeded: part))
  finishCall(module, part)
  return part
}

/// Looks whether the main thread has set anything, and starts the ramps.
@_noLocks
private func takeParameters(_ module: UnsafeMutablePointer<ModuleState>) {
  for index in 0 ..< module.pointee.parameterCount {
    let target = Float(
      bitPattern: module.pointee.targets[index].load(ordering: .relaxed))
    let glide = module.pointee.glides + index
    guard target != glide.pointee.target else { continue }
    glide.pointee.target = target
    if glide.pointee.rampSlices == 0 {
      glide.pointee.value = target
      module.pointee.values[index] = target
    } else {
      glide.pointee.remainingSlices = glide.pointee.rampSlices
      glide.pointee.step =
        (target - glide.pointee.value) / Float(glide.pointee.rampSlices)
      module.pointee.isGliding = true
    }
  }
}

/// Sets a parameter for the frames that come next; one that does not exist is left alone.
///
/// A jump is ramped where the manifest wants it. A value on the way to others counts at once, and what is
/// left of a ramp leads to it. [render]
@_noLocks @c(outboard_module_parameter)
func setModuleParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  let index = Int(index)
  guard index < module.pointee.parameterCount else { return }
  module.pointee.targets[index].store(value.bitPattern, ordering: .relaxed)
  let glide = module.pointee.glides + index
  // `takeParameters` begins the ramp of a jump.
  guard !isJump else { return }
  glide.pointee.target = value
  guard glide.pointee.remainingSlices == 0 else { return }
  glide.pointee.value = value
  module.pointee.values[index] = value
}

/// Moves every value that is on its way by one slice.
@_noLocks
private func moveParameters(_ module: UnsafeMutablePointer<ModuleState>) {
  var isGliding = false
  for index in 0 ..< module.pointee.parameterCount {
    let glide = module.pointee.glides + index
    guard glide.pointee.remainingSlices > 0 else { continue }
    glide.pointee.remainingSlices &-= 1
    let hasArrived = glide.pointee.remainingSlices == 0
    glide.pointee.value =
      hasArrived
      ? glide.pointee.target
      : glide.pointee.target - glide.pointee.step * Float(glide.pointee.remainingSlices)
    module.pointee.values[index] = glide.pointee.value
    isGliding = isGliding || !hasArrived
  }
  module.pointee.isGliding = isGliding
}

/// Hands over the MIDI that belongs to the next `frameCount` frames, in the order of time; what is late
/// takes effect at once. [render]
@_noLocks
private func deliverEvents(_ module: UnsafeMutablePointer<ModuleState>, _ frameCount: Int) {
  guard let midi = module.pointee.midi else { return }
  let start = module.pointee.position.load(ordering: .relaxed)
  let end = start &+ UInt64(frameCount)
  while true {
    let sent = module.pointee.events.nextTime() ?? end
    let arrived = module.pointee.arrivals.nextTime() ?? end
    let time = min(sent, arrived)
    guard time < end else { return }
    let count =
      arrived <= sent
      ? module.pointee.arrivals.take(into: module.pointee.eventBytes)
      : module.pointee.events.take(into: module.pointee.eventBytes)
    let frame = time > start ? time &- start : 0
    cmodule_send(
      midi, module.pointee.state, UInt32(truncatingIfNeeded: frame),
      module.pointee.eventBytes.assumingMemoryBound(to: UInt8.self),
      UInt32(truncatingIfNeeded: count))
  }
}

/// Takes a message of the block that is rendered next. [render]
@_noLocks @c(outboard_module_event)
func takeModuleEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  let position = module.pointee.position.load(ordering: .relaxed)
  keepEvent(module, at: position &+ UInt64(frame), bytes, byteCount)
}

/// Keeps a message until the module is given the frame; where there is no room, ends of notes are
/// kept before all others.
@_noLocks
private func keepEvent(
  _ module: UnsafeMutablePointer<ModuleState>, at time: UInt64, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let count = Int(byteCount)
  let spared = endsNote(bytes, count) ? 0 : ModuleState.sparedEventBytes
  if !module.pointee.arrivals.write(time: time, bytes, count, sparingBytes: spared) {
    module.pointee.droppedEvents &+= 1
  }
}

/// Counts frames as gone by. [render]
@_noLocks
func advanceModule(_ module: UnsafeMutablePointer<ModuleState>, _ frameCount: Int) {
  // One writer: the main thread only reads it, to stamp events.
  let position = module.pointee.position.load(ordering: .relaxed)
  module.pointee.position.store(position &+ UInt64(frameCount), ordering: .relaxed)
}

/// Runs a block of a length that the module takes.
@_noLocks
private func runWhole(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  deliverEvents(module, frameCount)
  cmodule_run(
    module.pointee.process, module.pointee.state, buffers, buffers + module.pointee.inputCount,
    module.pointee.values, UInt32(truncatingIfNeeded: frameCount))
  finishCall(module, frameCount)
}

/// Counts what the module has rendered, and puts back what stands for one call.
@_noLocks
private func finishCall(_ module: UnsafeMutablePointer<ModuleState>, _ frameCount: Int) {
  advanceModule(module, frameCount)
  module.pointee.triggers.rest(module)
}
