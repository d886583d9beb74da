// LV2RenderLock.swift: how the main thread gets an instance to itself that is being rendered.
// SPDX-License-Identifier: MIT
//
// The functions marked [render] make this a run file too: see LV2RunState.swift.

internal import CRealtime
internal import Glibc
internal import Synchronization

/// The door to one instance, through which one thread goes at a time.
///
/// The main thread knocks; the audio thread fades the outputs out, says so, and stays outside; the main
/// thread then goes in, and the audio thread, which never waits, renders silence until it finds the
/// door open again. Where nobody renders, nobody answers, and the main thread goes in after a while.
struct LV2RenderLock: ~Copyable {
  private static var empty: UInt32 { @_noLocks get { 0 } }
  private static var rendering: UInt32 { @_noLocks get { 1 } }
  private static var held: UInt32 { @_noLocks get { 2 } }
  private static let fadeSeconds = 0.005
  /// Longer than any usual period: after that nobody is rendering.
  private static let answerMilliseconds = 300
  /// A block that takes longer than that has hung.
  private static let patienceMilliseconds = 3_000

  /// Who is inside.
  private let occupant = Atomic<UInt32>(0)
  /// Set by main while it wants to go in, or is in.
  private let isWanted = Atomic<Bool>(false)
  /// Set by render when the outputs are faded out.
  private let isSilent = Atomic<Bool>(false)
  /// Whether any block was rendered.
  private let isInUse = Atomic<Bool>(false)
  /// What the outputs are multiplied by; render's alone.
  private var gain: Float = 1
  private let gainPerFrame: Float
  private let outputs: Range<Int>

  /// An open gate for the buffers of a step that are outputs. [main]
  init(outputs: Range<Int>, sampleRateHz: Double) {
    self.outputs = outputs
    gainPerFrame = Float(1 / (Self.fadeSeconds * sampleRateHz))
  }

  // MARK: - Main

  /// Runs `body` while no block is rendered; nil, without having run it, if the block in hand does not
  /// end. [main]
  borrowing func alone<Value>(_ body: () throws -> Value) rethrows -> Value? {
    isWanted.store(true, ordering: .relaxed)
    defer { isWanted.store(false, ordering: .relaxed) }
    var waited = 0
    while !tryToEnter(hasWaitedMilliseconds: waited) {
      guard waited < Self.patienceMilliseconds else { return nil }
      usleep(1_000)
      waited += 1
    }
    // Pairs with the acquiring exchange in `enter`: the audio thread sees what was changed.
    defer { occupant.store(Self.empty, ordering: .releasing) }
    return try body()
  }

  private borrowing func tryToEnter(hasWaitedMilliseconds waited: Int) -> Bool {
    let isExpected =
      isSilent.load(ordering: .relaxed) || !isInUse.load(ordering: .relaxed)
      || waited >= Self.answerMilliseconds
    // Pairs with the releasing store in `leave`.
    return isExpected
      && occupant.compareExchange(
        expected: Self.empty, desired: Self.held, ordering: .acquiring
      ).exchanged
  }

  // MARK: - Render

  /// Whether the block may be rendered; if not, the outputs are silent already. [render]
  @_noLocks
  mutating func enter(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
  ) -> Bool {
    // Who has been answered is let in: where blocks follow at once there is no time between them.
    let isAnswered = gain == 0 && isWanted.load(ordering: .relaxed)
    if !isAnswered,
      occupant.compareExchange(
        expected: Self.empty, desired: Self.rendering, ordering: .acquiring
      ).exchanged
    {
      return true
    }
    for output in outputs { crealtime_zero(buffers[output], frameCount) }
    gain = 0
    isSilent.store(true, ordering: .relaxed)
    return false
  }

  /// Ends a block that `enter` allowed. [render]
  @_noLocks
  mutating func leave(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
  ) {
    let isWanted = isWanted.load(ordering: .relaxed)
    fade(buffers, frameCount, to: isWanted ? 0 : 1)
    isSilent.store(isWanted && gain == 0, ordering: .relaxed)
    isInUse.store(true, ordering: .relaxed)
    occupant.store(Self.empty, ordering: .releasing)
  }

  @_noLocks
  private mutating func fade(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32, to target: Float
  ) {
    guard gain != 1 || target != 1 else { return }
    let start = gain
    let step = target > start ? gainPerFrame : -gainPerFrame
    for output in outputs {
      let samples = buffers[output]
      for frame in 0 ..< Int(frameCount) {
        samples[frame] *= max(0, min(1, start + step * Float(frame &+ 1)))
      }
    }
    gain = max(0, min(1, start + step * Float(frameCount)))
  }
}
