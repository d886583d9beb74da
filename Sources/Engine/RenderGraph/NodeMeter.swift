// NodeMeter.swift: measures the cost and the output of one node. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import RealtimeKit
import Synchronization

/// Times and levels of a node since they were last taken, at a fixed address.
///
/// Written by the render thread, taken by one other thread.
struct NodeMeter: ~Copyable {
  /// Four steps to the octave, from 1 ns on; the last has all that is longer than half a minute.
  static var stepCount: Int { @_noLocks get { 140 } }

  private let busyNanoseconds = Atomic<UInt64>(0)
  private let worstNanoseconds = Atomic<UInt64>(0)
  private let peak = Atomic<UInt32>(0)
  /// What the last block took, and, as the highest bits, whether others had its thread's processor meanwhile,
  /// and whether anything is to be asked in the next one.
  private let last = Atomic<UInt64>(0)
  private static var disturbed: UInt64 { @_noLocks get { 1 &<< 63 } }
  private static var doubtful: UInt64 { @_noLocks get { 1 &<< 62 } }
  /// How many blocks took how long, by the step.
  private let counts: UnsafeMutablePointer<Atomic<UInt32>>

  /// A meter that has measured nothing. [main]
  init() {
    counts = .allocate(capacity: Self.stepCount)
    for step in 0 ..< Self.stepCount { (counts + step).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: Self.stepCount)
    counts.deallocate()
  }

  /// Takes note of the time of one block, whose thread may have been taken off its processor, or may have gone
  /// by itself, to wait for something. [render]
  @_noLocks
  func note(nanoseconds: UInt64, isDisturbed: Bool, hasWaited: Bool = false) {
    var taken = nanoseconds
    if isDisturbed, !hasWaited { taken |= Self.disturbed }
    if isDisturbed || hasWaited { taken |= Self.doubtful }
    last.store(taken, ordering: .relaxed)
  }

  /// Adds one block. [render]
  @_noLocks
  func record(nanoseconds: UInt64) {
    busyNanoseconds.add(nanoseconds, ordering: .relaxed)
    if nanoseconds > worstNanoseconds.load(ordering: .relaxed) {
      worstNanoseconds.store(nanoseconds, ordering: .relaxed)
    }
    counts[Self.step(nanoseconds)].add(1, ordering: .relaxed)
  }

  /// Adds the level of one block. [render]
  @_noLocks
  func record(peak level: Float) {
    if level.bitPattern > peak.load(ordering: .relaxed) {
      peak.store(level.bitPattern, ordering: .relaxed)
    }
  }

  /// What the last block took that was timed, in ns. [render, once its steps are over]
  var lastNanoseconds: UInt64 {
    @_noLocks get { last.load(ordering: .relaxed) & (Self.doubtful &- 1) }
  }

  /// Whether others had the processor of the thread that ran it meanwhile. [render, once its steps are over]
  var wasDisturbed: Bool {
    @_noLocks get { last.load(ordering: .relaxed) & Self.disturbed != 0 }
  }

  /// Whether its thread left the processor in the last block, so that it is worth asking why. [render]
  var isDoubtful: Bool {
    @_noLocks get { last.load(ordering: .relaxed) & Self.doubtful != 0 }
  }

  /// The octave by the highest bit, its quarter by the two after it.
  @_noLocks
  private static func step(_ nanoseconds: UInt64) -> Int {
    guard nanoseconds > 3 else { return Int(truncatingIfNeeded: nanoseconds) }
    let octave = 63 &- nanoseconds.leadingZeroBitCount
    let quarter = Int(truncatingIfNeeded: nanoseconds &>> UInt64(octave &- 2)) & 3
    return min(octave &* 4 &+ quarter, stepCount &- 1)
  }

  /// The longest time that falls into a step, in ns.
  private static func longest(_ step: Int) -> Double {
    guard step > 7 else { return Double(step) }
    let octave = step / 4
    return Double(1 << octave) * (1 + Double(step % 4 + 1) / 4)
  }

  /// What was measured since the last call. [any one thread]
  func take() -> NodeTimes {
    let taken = (0 ..< Self.stepCount).map { Int(counts[$0].exchange(0, ordering: .relaxed)) }
    let blockCount = taken.reduce(0, +)
    let busy = Double(busyNanoseconds.exchange(0, ordering: .relaxed))
    let worst = Double(worstNanoseconds.exchange(0, ordering: .relaxed))
    var rest = blockCount / 100
    var percentile = worst
    for step in taken.indices.reversed() {
      rest -= taken[step]
      guard rest < 0 else { continue }
      percentile = min(worst, Self.longest(step))
      break
    }
    return NodeTimes(
      blockCount: blockCount, meanNanoseconds: blockCount > 0 ? busy / Double(blockCount) : 0,
      percentileNanoseconds: percentile, worstNanoseconds: worst,
      peak: Float(bitPattern: peak.exchange(0, ordering: .relaxed)))
  }
}

/// What a node cost, and gave out, in a number of blocks.
package struct NodeTimes: Sendable, Equatable {
  /// Blocks that were measured.
  package var blockCount: Int
  /// Time for a block, in ns.
  package var meanNanoseconds: Double
  /// What 99 of 100 blocks stayed below, in ns, to a fifth.
  package var percentileNanoseconds: Double
  /// The longest block, in ns.
  package var worstNanoseconds: Double
  /// Highest level of its outputs, linear.
  package var peak: Float
}
