// ModuleRenderLock.swift: a module held still between two blocks, and what is heard meanwhile.
// SPDX-License-Identifier: MIT
//
// A run file for what the render thread calls.

import CModule
import CRealtime
import Glibc
import Synchronization

/// Keeps a module's `[main]` functions and its `[render]` ones apart while both threads live.
///
/// Neither waits for the other on the render thread: where a block begins while the module is held, it
/// is left out, and the sound is faded out and in again.
struct ModuleRenderLock: ~Copyable {
  private static var free: UInt8 { @_noLocks get { 0 } }
  private static var rendering: UInt8 { @_noLocks get { 1 } }
  private static var held: UInt8 { @_noLocks get { 2 } }
  /// How long the sound takes to come to rest, and back, in frames.
  static var fadeFrames: Int { @_noLocks get { 64 } }

  private let state = Atomic<UInt8>(0)
  /// What each output ended with. [render]
  let lastSamples: UnsafeMutablePointer<Float>
  /// Whether the last block was left out. [render]
  var isSilenced = false

  init(outputCount: Int) {
    lastSamples = .allocate(capacity: max(1, outputCount))
    lastSamples.initialize(repeating: 0, count: max(1, outputCount))
  }

  deinit { lastSamples.deallocate() }

  /// Whether a block may be rendered; then `leave` has to follow. [render]
  @_noLocks
  func enter() -> Bool {
    // Pairs with the releasing store at the end of `whileHeld`.
    state.compareExchange(
      expected: Self.free, desired: Self.rendering, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// That the block is over. [render]
  @_noLocks
  func leave() { state.store(Self.free, ordering: .releasing) }

  /// Does something while no block is rendered, which begins as soon as the current one is over. [main]
  func whileHeld<Value>(_ work: () -> Value) -> Value {
    while !state.compareExchange(
      expected: Self.free, desired: Self.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged {
      usleep(20)
    }
    defer { state.store(Self.free, ordering: .releasing) }
    return work()
  }
}

/// Runs a module that can be held. [render]
@_noLocks @c(outboard_held_module_step)
func heldModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  runUnlessHeld(context, buffers, frameCount, mayBeCut: true)
}

/// The same for one whose blocks must not be cut. [render]
@_noLocks @c(outboard_held_uncut_module_step)
func heldUncutModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  runUnlessHeld(context, buffers, frameCount, mayBeCut: false)
}

@_noLocks
private func runUnlessHeld(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32, mayBeCut: Bool
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  guard module.pointee.hold.enter() else {
    fallSilent(module, buffers, Int(frameCount))
    return
  }
  if mayBeCut {
    moduleStep(context, buffers, frameCount)
  } else {
    uncutModuleStep(context, buffers, frameCount)
  }
  module.pointee.hold.leave()
  comeBack(module, buffers, Int(frameCount))
}

/// Lets the sound come to rest from where it was; the block is lost.
@_noLocks
private func fallSilent(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  for channel in 0 ..< module.pointee.outputCount {
    let output = buffers[module.pointee.inputCount &+ channel]
    let last = module.pointee.hold.isSilenced ? 0 : module.pointee.hold.lastSamples[channel]
    for frame in 0 ..< frameCount {
      let left = max(0, ModuleRenderLock.fadeFrames &- 1 &- frame)
      output[frame] = last * Float(left) / Float(ModuleRenderLock.fadeFrames)
    }
    module.pointee.hold.lastSamples[channel] = output[frameCount &- 1]
  }
  module.pointee.hold.isSilenced = true
  advanceModule(module, frameCount)
}

/// Notes where the sound is, and brings it back after a block that was lost.
@_noLocks
private func comeBack(
  _ module: UnsafeMutablePointer<ModuleState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  for channel in 0 ..< module.pointee.outputCount {
    let output = buffers[module.pointee.inputCount &+ channel]
    if module.pointee.hold.isSilenced {
      for frame in 0 ..< min(frameCount, ModuleRenderLock.fadeFrames) {
        output[frame] *= Float(frame &+ 1) / Float(ModuleRenderLock.fadeFrames)
      }
    }
    module.pointee.hold.lastSamples[channel] = output[frameCount &- 1]
  }
  module.pointee.hold.isSilenced = false
}
