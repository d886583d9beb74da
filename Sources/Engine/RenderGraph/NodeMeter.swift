// NodeMeter.swift: measures the cost and the output level of one node. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import RealtimeKit
import Synchronization

/// The times and levels of a node since they were last taken, at a fixed address.
///
/// The render thread writes them, and one other thread takes them.
struct NodeMeter: ~Copyable {
  /// The number of time steps: four per octave from 1 ns on; the last one has all times above half
  /// a minute.
  static var stepCount: Int { @_noLocks get { 140 } }

  private let busyNanoseconds = Atomic<UInt64>(0)
  private let worstNanoseconds = Atomic<UInt64>(0)
  private let peak = Atomic<UInt32>(0)
  /// The time of the last block.
  ///
  /// Its highest bits: whether another thread used the processor meanwhile, and whether the next
  /// block must query the kernel.
  private let last = Atomic<UInt64>(0)
  private static var disturbed: UInt64 { @_noLocks get { 1 &<< 63 } }
  private static var preemptedFlag: UInt64 { @_noLocks get { 1 &<< 62 } }
  /// The number of blocks in each time step.
  private let counts: UnsafeMutablePointer<Atomic<UInt32>>

  /// Creates a meter without measurements. [main]
  init() {
    counts = .allocate(capacity: Self.stepCount)
    for step in 0 ..< Self.stepCount { (counts + step).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: Self.stepCount)
    counts.deallocate()
  }

  /// Records the time of one block.
  ///
  /// Its thread may have been preempted, or may have left the processor to wait. [render]
  @_noLocks
  func recordTime(nanoseconds: UInt64, isDisturbed: Bool, hasWaited: Bool = false) {
    var taken = nanoseconds
    if isDisturbed, !hasWaited { taken |= Self.disturbed }
    if isDisturbed || hasWaited { taken |= Self.preemptedFlag }
    last.store(taken, ordering: .relaxed)
  }

  /// Adds a time to the statistics. [render]
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

  /// The time of the last block that was timed, in ns. [render, after its steps]
  var lastNanoseconds: UInt64 {
    @_noLocks get { last.load(ordering: .relaxed) & (Self.preemptedFlag &- 1) }
  }

  /// Whether another thread used the processor of its thread meanwhile. [render, after its steps]
  var wasDisturbed: Bool {
    @_noLocks get { last.load(ordering: .relaxed) & Self.disturbed != 0 }
  }

  /// Whether its thread left the processor in the last block, so that the kernel must be queried
  /// for the reason. [render]
  var wasPreempted: Bool {
    @_noLocks get { last.load(ordering: .relaxed) & Self.preemptedFlag != 0 }
  }

  /// Returns the time step: the octave from the highest bit, its quarter from the two bits after
  /// it.
  @_noLocks
  private static func step(_ nanoseconds: UInt64) -> Int {
    guard nanoseconds > 3 else { return Int(truncatingIfNeeded: nanoseconds) }
    let octave = 63 &- nanoseconds.leadingZeroBitCount
    let quarter = Int(truncatingIfNeeded: nanoseconds &>> UInt64(octave &- 2)) & 3
    return min(octave &* 4 &+ quarter, stepCount &- 1)
  }

  /// Returns the longest time of a time step, in ns.
  private static func longest(_ step: Int) -> Double {
    guard step > 7 else { return Double(step) }
    let octave = step / 4
    return Double(1 << octave) * (1 + Double(step % 4 + 1) / 4)
  }

  /// Returns the highest level of the outputs since it was last taken, linear. [any one thread]
  func takePeak() -> Float { Float(bitPattern: peak.exchange(0, ordering: .relaxed)) }

  /// Returns the measurements since the last call. [any one thread]
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
      peak: takePeak())
  }
}

/// The cost and output level of a node in a number of blocks.
package struct NodeTimes: Sendable, Equatable {
  /// The number of blocks that were measured.
  package var blockCount: Int
  /// The mean time of a block, in ns.
  package var meanNanoseconds: Double
  /// The 99th percentile of block times, in ns, within 20 percent.
  package var percentileNanoseconds: Double
  /// The longest block, in ns.
  package var worstNanoseconds: Double
  /// The highest level of its outputs, linear.
  package var peak: Float
}
