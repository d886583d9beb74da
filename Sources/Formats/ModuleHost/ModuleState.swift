// ModuleState.swift: the render thread's state of a module instance. SPDX-License-Identifier: MIT
//
// Real-time safe: no allocation, freeing, locks, waiting, errors or logging. ModuleNode.swift allocates and
// frees it. The samples are the same as from Sources/SDK/LV2Shim/step.c.

import CModule
import CRealtime
import RealtimeKit
import Synchronization

/// The ramp of a parameter.
struct ParameterRamp: BitwiseCopyable {
  /// The current value.
  var value: Float
  /// The target value.
  var target: Float
  /// The change per slice.
  ///
  /// A ramp is computed backwards from its target, so that rounding errors do not add
  /// up.
  var step: Float
  /// The remaining slices; 0 at rest.
  var remainingSlices: Int
  /// The slices of a whole ramp; 0 for a jump.
  let rampSlices: Int
  /// Whether the target is not the stored value.
  var isHeld = false
}

/// The render state of a module instance, at a fixed address.
struct ModuleState: ~Copyable {
  /// The step length of a ramp in frames: about 1,500 steps a second at 48 kHz.
  static var sliceFrames: Int { @_noLocks get { 32 } }

  /// The space in the MIDI queue that is reserved for ends of notes, in bytes.
  static var sparedEventBytes: Int { @_noLocks get { 16_384 } }

  let process: cmodule_process
  let midi: cmodule_midi?
  /// The result of `create`.
  let state: UnsafeMutableRawPointer?
  let inputCount: Int
  let outputCount: Int
  /// The longest block of the module.
  let maximumFrameCount: Int
  let parameterCount: Int
  /// The values that the main thread has set, as bit patterns of floats.
  let targets: UnsafeMutablePointer<Atomic<UInt32>>
  let glides: UnsafeMutablePointer<ParameterRamp>
  /// The values passed to the module, in the order of the manifest.
  let values: UnsafeMutablePointer<Float>
  /// Channel pointers, offset for a part of a block.
  let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Pending MIDI of the main thread, with frames of the stream.
  let events: MessageRing
  /// Pending MIDI of the graph, with frames of the stream; used only by the render thread.
  let arrivals: MessageRing
  /// The number of lost messages of the graph.
  var droppedEvents = 0
  let eventBytes: UnsafeMutableRawPointer
  /// The number of frames passed to the module since its creation.
  let position = Atomic<UInt64>(0)
  /// Whether a ramp is active.
  var isGliding = false
  /// The lock for saving and restoring.
  var hold: ModuleRenderLock
  /// The readouts.
  let readouts: ModuleReadouts
  /// Trigger parameters, which apply to one call.
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

/// Renders a module that accepts all block lengths up to a maximum. [render]
@_noLocks @c(outboard_module_step)
func moduleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  startRamps(module)
  let total = Int(frameCount)
  if !module.pointee.isGliding, total <= module.pointee.maximumFrameCount {
    runWhole(module, buffers, total)
  } else {
    var done = 0
    while done < total {
      done &+= runPart(module, buffers, from: done, atMost: total &- done)
    }
  }
  module.pointee.readouts.readIfRequested(module.pointee.state)
}

/// Renders a module whose blocks must not be split.
///
/// A ramp advances by all slices that start in the block.
/// [render]
@_noLocks @c(outboard_uncut_module_step)
func wholeBlockModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  startRamps(module)
  let start = Int(truncatingIfNeeded: module.pointee.position.load(ordering: .relaxed))
  let end = start &+ Int(frameCount)
  var slices = slicesBegun(before: end) &- slicesBegun(before: start)
  while slices > 0, module.pointee.isGliding {
    advanceRamps(module)
    slices &-= 1
  }
  runWhole(module, buffers, Int(frameCount))
  module.pointee.readouts.readIfRequested(module.pointee.state)
}

/// Returns the number of slices that start before a frame of the stream.
@_noLocks
private func slicesBegun(before frame: Int) -> Int {
  (frame &+ (ModuleState.sliceFrames &- 1)) / ModuleState.sliceFrames
}

/// Renders part of a block, as long as the module and a ramp allow, and returns its length in frames.
@_noLocks
private func runPart(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, atMost count: Int
) -> Int {
  var part = min(count, module.pointee.maximumFrameCount)
  if module.pointee.isGliding {
    // Slices are on a grid of the stream, not of the block, so that a ramp does not depend on block lengths.
    let position = Int(truncatingIfNeeded: module.pointee.position.load(ordering: .relaxed))
    part = min(part, ModuleState.sliceFrames &- position % ModuleState.sliceFrames)
    if position % ModuleState.sliceFrames == 0 { advanceRamps(module) }
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
  completeBlock(module, part)
  return part
}

/// Reads the values that the main thread has set, and starts ramps.
@_noLocks
private func startRamps(_ module: UnsafeMutablePointer<ModuleState>) {
  for index in 0 ..< module.pointee.parameterCount {
    let target = Float(
      bitPattern: module.pointee.targets[index].load(ordering: .relaxed))
    let glide = module.pointee.glides + index
    guard target != glide.pointee.target, !glide.pointee.isHeld else { continue }
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

/// Sets a parameter from the next frame on; ignores an unknown parameter.
///
/// A jump is ramped if the manifest requires it. During a running ramp, the new value is the target of the
/// rest. [render]
@_noLocks @c(outboard_module_parameter)
func setModuleParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  let index = Int(index)
  guard index < module.pointee.parameterCount else { return }
  module.pointee.targets[index].store(value.bitPattern, ordering: .relaxed)
  let glide = module.pointee.glides + index
  // `startRamps` starts the ramp of a jump.
  guard !isJump else { return }
  glide.pointee.target = value
  guard glide.pointee.remainingSlices == 0 else { return }
  glide.pointee.value = value
  module.pointee.values[index] = value
}

/// Advances all ramps by one slice.
@_noLocks
private func advanceRamps(_ module: UnsafeMutablePointer<ModuleState>) {
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

/// Passes the MIDI of the next `frameCount` frames to the module, in order of time.
///
/// Late messages take effect
/// at once. [render]
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

/// Adds a message for the next block. [render]
@_noLocks @c(outboard_module_event)
func takeModuleEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  let position = module.pointee.position.load(ordering: .relaxed)
  storeEvent(module, at: position &+ UInt64(frame), bytes, byteCount)
}

/// Stores a message until its frame.
///
/// If the queue is nearly full, only ends of notes are accepted.
@_noLocks
private func storeEvent(
  _ module: UnsafeMutablePointer<ModuleState>, at time: UInt64, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let count = Int(byteCount)
  let spared = endsNote(bytes, count) ? 0 : ModuleState.sparedEventBytes
  if !module.pointee.arrivals.write(time: time, bytes, count, sparingBytes: spared) {
    module.pointee.droppedEvents &+= 1
  }
}

/// Adds to the number of rendered frames. [render]
@_noLocks
func advanceModule(_ module: UnsafeMutablePointer<ModuleState>, _ frameCount: Int) {
  // One writer: the main thread only reads it for timestamps.
  let position = module.pointee.position.load(ordering: .relaxed)
  module.pointee.position.store(position &+ UInt64(frameCount), ordering: .relaxed)
}

/// Renders a block of a length that the module supports.
@_noLocks
private func runWhole(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  deliverEvents(module, frameCount)
  cmodule_run(
    module.pointee.process, module.pointee.state, buffers, buffers + module.pointee.inputCount,
    module.pointee.values, UInt32(truncatingIfNeeded: frameCount))
  completeBlock(module, frameCount)
}

/// Counts the rendered frames and resets triggers.
@_noLocks
private func completeBlock(_ module: UnsafeMutablePointer<ModuleState>, _ frameCount: Int) {
  advanceModule(module, frameCount)
  module.pointee.triggers.rest(module)
}
