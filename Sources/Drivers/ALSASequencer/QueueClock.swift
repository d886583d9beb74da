// QueueClock.swift: converts between queue time and CLOCK_MONOTONIC. SPDX-License-Identifier: MIT

/// Maps the time of a sequencer queue to CLOCK_MONOTONIC and back; both in nanoseconds.
///
/// A queue counts the ticks of a kernel timer, and is slightly behind if the interrupt of a tick
/// was late. So the reading with the smallest difference between the clocks is the most exact.
struct QueueClock {
  /// The value of CLOCK_MONOTONIC at queue time 0; nil before the first reading.
  private(set) var origin: UInt64?
  private var observed: UInt64 = 0

  /// The largest slowdown of a timer without high resolution, in nanoseconds per millisecond.
  static let driftAllowance: UInt64 = 100

  /// Adds a reading: the queue's time, and CLOCK_MONOTONIC immediately afterwards.
  mutating func synchronize(queue: UInt64, after now: UInt64) {
    let candidate = now &- queue
    if let origin {
      let allowed = origin + (now - observed) / 1_000_000 * Self.driftAllowance
      self.origin = min(candidate, allowed)
    } else {
      origin = candidate
    }
    observed = now
  }

  /// Returns the time on CLOCK_MONOTONIC for a queue time.
  func monotonic(queue: UInt64) -> UInt64 {
    queue &+ (origin ?? 0)
  }

  /// Returns the queue time for a time on CLOCK_MONOTONIC; 0 before its start.
  func queue(monotonic: UInt64) -> UInt64 {
    let origin = origin ?? 0
    return monotonic > origin ? monotonic - origin : 0
  }
}
