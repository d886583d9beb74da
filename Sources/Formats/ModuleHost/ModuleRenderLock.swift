// ModuleRenderLock.swift: stops a module between two blocks for the main thread.
// SPDX-License-Identifier: MIT
//
// The functions of the render thread are real-time safe.

import CModule
import CRealtime
import Glibc
import Synchronization

/// Ensures that `[main]` and `[render]` functions of a module never run at the same time.
///
/// The render thread never waits. If a block starts while the module is locked, the block is skipped and the
/// output fades out and in.
struct ModuleRenderLock: ~Copyable {
  private static var free: UInt8 { @_noLocks get { 0 } }
  private static var rendering: UInt8 { @_noLocks get { 1 } }
  private static var heldByMain: UInt8 { @_noLocks get { 2 } }
  /// The length of a fade, in frames.
  static var fadeFrames: Int { @_noLocks get { 64 } }

  private let state = Atomic<UInt8>(0)
  /// The number of blocks that have ended, modulo 2^32.
  private let endedBlockCount = Atomic<UInt32>(0)
  /// The time within which a session renders the next block.
  private let longestBlock: Duration
  /// The last sample of each output. [render]
  let lastSamples: UnsafeMutablePointer<Float>
  /// Whether the last block was skipped. [render]
  var isSilenced = false
  /// The number of skipped blocks. [render]
  var skippedBlockCount = 0

  /// Creates an open lock for a number of outputs and the longest block of the module. [main]
  init(outputCount: Int, longestBlock: Duration) {
    self.longestBlock = longestBlock
    lastSamples = .allocate(capacity: max(1, outputCount))
    lastSamples.initialize(repeating: 0, count: max(1, outputCount))
  }

  deinit { lastSamples.deallocate() }

  /// Returns whether a block may be rendered; then call `endBlock`. [render]
  @_noLocks
  func beginBlock() -> Bool {
    // Pairs with the release store at the end of `withExclusiveAccess`.
    state.compareExchange(
      expected: Self.free, desired: Self.rendering, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// Ends a block. [render]
  @_noLocks
  func endBlock() {
    // Only this thread writes the number.
    endedBlockCount.store(endedBlockCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    state.store(Self.free, ordering: .releasing)
  }

  /// Runs `work` while no block is rendered, if possible just after the end of a block. [main]
  func withExclusiveAccess<Value>(_ work: () -> Value) -> Value {
    waitForEndOfBlock()
    while !state.compareExchange(
      expected: Self.free, desired: Self.heldByMain, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged {
      usleep(20)
    }
    defer { state.store(Self.free, ordering: .releasing) }
    return work()
  }

  /// Returns when a block has just ended, or when no block is being rendered.
  ///
  /// Most of a period is then left. At any other moment the next block may begin during the access, and is lost.
  private func waitForEndOfBlock() {
    var count = endedBlockCount.load(ordering: .relaxed)
    guard count != 0 else { return }
    let deadline = ContinuousClock.now + longestBlock * 2
    var poll = ContinuousClock.now
    while poll < deadline {
      usleep(20)
      let now = ContinuousClock.now
      let newCount = endedBlockCount.load(ordering: .relaxed)
      // After a late poll, the next block may be about to begin.
      if newCount != count, now - poll < longestBlock / 4 { return }
      (count, poll) = (newCount, now)
    }
  }
}

/// Renders a module that can be locked. [render]
@_noLocks @c(outboard_held_module_step)
func lockableModuleStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  renderIfUnlocked(context, buffers, frameCount, canBeSplit: true)
}

/// Renders a lockable module whose blocks must not be split. [render]
@_noLocks @c(outboard_held_uncut_module_step)
func lockableWholeBlockStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  renderIfUnlocked(context, buffers, frameCount, canBeSplit: false)
}

@_noLocks
private func renderIfUnlocked(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32, canBeSplit: Bool
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  guard module.pointee.hold.beginBlock() else {
    fadeToSilence(module, buffers, Int(frameCount))
    return
  }
  if canBeSplit {
    moduleStep(context, buffers, frameCount)
  } else {
    wholeBlockModuleStep(context, buffers, frameCount)
  }
  module.pointee.hold.endBlock()
  fadeIn(module, buffers, Int(frameCount))
}

/// Fades the output to silence from its last value; the block is lost.
@_noLocks
private func fadeToSilence(
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
  module.pointee.hold.skippedBlockCount &+= 1
  advanceModule(module, frameCount)
}

/// Stores the last samples, and fades in after a lost block.
@_noLocks
private func fadeIn(
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
