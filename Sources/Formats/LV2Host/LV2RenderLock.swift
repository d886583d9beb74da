// LV2RenderLock.swift: stops rendering for the main thread.
// SPDX-License-Identifier: MIT
//
// The functions marked [render] are real-time safe: see LV2RunState.swift.

internal import CRealtime
internal import Glibc
internal import RealtimeKit
internal import Synchronization

/// A lock that gives the main thread exclusive access to an instance.
///
/// The main thread requests access. The audio thread fades the outputs out, confirms it, and outputs silence until
/// the main thread is done. The audio thread never waits. If nothing is rendering, the main thread continues after
/// a timeout.
struct LV2RenderLock: ~Copyable {
  private static var empty: UInt32 { @_noLocks get { 0 } }
  private static var rendering: UInt32 { @_noLocks get { 1 } }
  private static var heldByMain: UInt32 { @_noLocks get { 2 } }
  private static let fadeSeconds = 0.005
  /// Longer than any usual period; after it, nothing is rendering.
  private static let idleTimeoutMilliseconds = 300
  /// The timeout after which a block counts as hung.
  private static let lockTimeoutMilliseconds = 3_000

  /// The current owner.
  private let owner = Atomic<UInt32>(0)
  /// Set by the main thread while it requests or has access.
  private let isLockRequested = Atomic<Bool>(false)
  /// Set by the audio thread when the outputs are faded out.
  private let isSilent = Atomic<Bool>(false)
  /// Whether any block was rendered.
  private let isInUse = Atomic<Bool>(false)
  /// The output gain; used only by the audio thread.
  private var fade: LinearFade
  private let outputs: Range<Int>

  /// Creates an open lock for the output buffers of a step. [main]
  init(outputs: Range<Int>, sampleRateHz: Double) {
    self.outputs = outputs
    fade = LinearFade(at: 1, seconds: Self.fadeSeconds, sampleRateHz: sampleRateHz)
  }

  // MARK: - Main

  /// Runs `body` while no block is rendered; returns nil, without running it, if the current block hangs.
  /// [main]
  borrowing func withExclusiveAccess<Value>(_ body: () throws -> Value) rethrows -> Value? {
    isLockRequested.store(true, ordering: .relaxed)
    defer { isLockRequested.store(false, ordering: .relaxed) }
    var waited = 0
    while !tryLock(hasWaitedMilliseconds: waited) {
      guard waited < Self.lockTimeoutMilliseconds else { return nil }
      usleep(1_000)
      waited += 1
    }
    // Pairs with the acquire exchange in `beginBlock`: the audio thread sees the changes.
    defer { owner.store(Self.empty, ordering: .releasing) }
    return try body()
  }

  private borrowing func tryLock(hasWaitedMilliseconds waited: Int) -> Bool {
    let isExpected =
      isSilent.load(ordering: .relaxed) || !isInUse.load(ordering: .relaxed)
      || waited >= Self.idleTimeoutMilliseconds
    // Pairs with the release store in `endBlock`.
    return isExpected
      && owner.compareExchange(
        expected: Self.empty, desired: Self.heldByMain, ordering: .acquiring
      ).exchanged
  }

  // MARK: - Render

  /// Whether the block may be rendered; otherwise the outputs are already silent. [render]
  @_noLocks
  mutating func beginBlock(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
  ) -> Bool {
    // After the confirmation, the main thread has priority: with back-to-back blocks there is no gap between them.
    let isAnswered = fade.gain == 0 && isLockRequested.load(ordering: .relaxed)
    if !isAnswered,
      owner.compareExchange(
        expected: Self.empty, desired: Self.rendering, ordering: .acquiring
      ).exchanged
    {
      return true
    }
    for output in outputs { crealtime_zero(buffers[output], frameCount) }
    fade.silence()
    isSilent.store(true, ordering: .relaxed)
    return false
  }

  /// Ends a block after `beginBlock` returned true. [render]
  @_noLocks
  mutating func endBlock(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
  ) {
    let isLockRequested = isLockRequested.load(ordering: .relaxed)
    if fade.gain != 1 || isLockRequested {
      fade.apply(to: buffers, outputs, Int(frameCount), towards: isLockRequested ? 0 : 1)
    }
    isSilent.store(isLockRequested && fade.gain == 0, ordering: .relaxed)
    isInUse.store(true, ordering: .relaxed)
    owner.store(Self.empty, ordering: .releasing)
  }
}
