// ClockReading.swift: a position on an external clock, from one thread to another. SPDX-License-Identifier: MIT

import Synchronization

/// Tempo and position of an external clock.
package struct ClockReading: BitwiseCopyable, Sendable, Equatable {
  /// The time of the position, on CLOCK_MONOTONIC in ns.
  package var time: UInt64 = 0
  /// Quarter notes since the beginning of the song: at `time` while the clock rolls, otherwise where it has stopped.
  package var quarters = 0.0
  /// The tempo; 0 while it is unknown.
  package var quartersPerMinute = 0.0
  /// Whether the clock rolls.
  package var isRolling = false
  /// When the last start, stop or jump takes effect, on CLOCK_MONOTONIC in ns.
  package var changeTime: UInt64 = 0
  /// Counts starts, stops and jumps; 0 while the position is unknown.
  package var changeCount: UInt32 = 0

  /// A clock without tempo and position.
  package init() {}

  /// Returns the quarter notes at a time on CLOCK_MONOTONIC, in ns, while the clock rolls. [render]
  @_noLocks
  package func quarters(at time: UInt64) -> Double {
    quarters + Double(Int64(bitPattern: time &- self.time)) * quartersPerMinute / 60e9
  }
}

/// The memory in which one thread publishes readings, and others read the last one without waiting.
///
/// The writer makes the count odd while it writes. A reader that meets an odd or changed count has no reading.
package struct ClockReadingStore: ~Copyable {
  private let sequence = Atomic<UInt64>(0)
  private let time = Atomic<UInt64>(0)
  private let quarters = Atomic<UInt64>(0)
  private let tempo = Atomic<UInt64>(0)
  private let changeTime = Atomic<UInt64>(0)
  /// The count of changes; the highest bit is set while the clock rolls.
  private let change = Atomic<UInt64>(0)

  private static var rolling: UInt64 { @_noLocks get { 1 << 63 } }

  /// Replaces the reading. [writer]
  func write(_ reading: ClockReading) {
    sequence.add(1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    time.store(reading.time, ordering: .relaxed)
    quarters.store(reading.quarters.bitPattern, ordering: .relaxed)
    tempo.store(reading.quartersPerMinute.bitPattern, ordering: .relaxed)
    changeTime.store(reading.changeTime, ordering: .relaxed)
    change.store(
      UInt64(reading.changeCount) | (reading.isRolling ? Self.rolling : 0), ordering: .relaxed)
    sequence.add(1, ordering: .releasing)
  }

  /// Returns the last reading; nil while it is being replaced. [render]
  @_noLocks
  package func read() -> ClockReading? {
    let before = sequence.load(ordering: .acquiring)
    guard before & 1 == 0 else { return nil }
    var reading = ClockReading()
    reading.time = time.load(ordering: .relaxed)
    reading.quarters = Double(bitPattern: quarters.load(ordering: .relaxed))
    reading.quartersPerMinute = Double(bitPattern: tempo.load(ordering: .relaxed))
    reading.changeTime = changeTime.load(ordering: .relaxed)
    let change = change.load(ordering: .relaxed)
    reading.isRolling = change & Self.rolling != 0
    reading.changeCount = UInt32(truncatingIfNeeded: change)
    atomicMemoryFence(ordering: .acquiring)
    return sequence.load(ordering: .relaxed) == before ? reading : nil
  }
}

/// The owner of a `ClockReadingStore` at a fixed address.
package final class PublishedClock: Sendable {
  /// For the audio thread; valid as long as this object lives.
  ///
  /// Its data is atomic.
  package nonisolated(unsafe) let pointer: UnsafeMutablePointer<ClockReadingStore>

  /// Creates a clock without tempo and position.
  package init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: ClockReadingStore())
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// Replaces the reading. [one thread at a time]
  package func publish(_ reading: ClockReading) { pointer.pointee.write(reading) }
}
