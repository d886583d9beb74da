// QueueClock.swift: between the sequencer's queue and CLOCK_MONOTONIC. SPDX-License-Identifier: MIT

/// Maps the time of a sequencer queue to CLOCK_MONOTONIC and back; both in nanoseconds.
///
/// A queue counts the ticks of a kernel timer, and shows a little less than the truth when the
/// interrupt of a tick came late. So of many readings, the one with the least distance between the
/// clocks is the truest.
struct QueueClock {
  /// What CLOCK_MONOTONIC shows when the queue shows 0; nil before the first reading.
  private(set) var origin: UInt64?
  private var observed: UInt64 = 0

  /// The largest slowdown of a timer without high resolution, in nanoseconds per millisecond.
  static let driftAllowance: UInt64 = 100

  /// Takes a reading: the queue's time, and CLOCK_MONOTONIC right after it was read.
  mutating func observe(queue: UInt64, after now: UInt64) {
    let candidate = now &- queue
    if let origin {
      let allowed = origin + (now - observed) / 1_000_000 * Self.driftAllowance
      self.origin = min(candidate, allowed)
    } else {
      origin = candidate
    }
    observed = now
  }

  /// The time on CLOCK_MONOTONIC at which the queue showed `queue`.
  func monotonic(queue: UInt64) -> UInt64 {
    queue &+ (origin ?? 0)
  }

  /// What the queue shows at a time on CLOCK_MONOTONIC; 0 before its start.
  func queue(monotonic: UInt64) -> UInt64 {
    let origin = origin ?? 0
    return monotonic > origin ? monotonic - origin : 0
  }
}
