// SimulatedClock.swift: a MIDI clock in virtual time. SPDX-License-Identifier: MIT

import MIDIClock
import PluginModel
import TestRandom

extension Random {
  /// The sum of twelve uniform values has almost a normal distribution.
  mutating func gaussian() -> Double {
    (0 ..< 12).reduce(-6) { sum, _ in sum + Double.random(in: 0 ..< 1, using: &self) }
  }
}

/// How late ticks arrive.
enum Jitter: CaseIterable {
  /// On time.
  case none
  /// Up to 0.5 ms early or late.
  case uniform
  /// With a standard deviation of 0.5 ms.
  case gaussian
  /// At the next whole millisecond, as on USB.
  case usb

  func apply(to time: Double, _ random: inout Random) -> Double {
    switch self {
    case .none: time
    case .uniform: time + Double.random(in: -0.5e6 ... 0.5e6, using: &random)
    case .gaussian: time + 0.5e6 * random.gaussian()
    case .usb: (time / 1e6).rounded(.up) * 1e6
    }
  }
}

/// Sends ticks to a tracker, and compares it with the truth.
struct SimulatedClock {
  var tracker = ClockTracker()
  var random: Random
  let jitter: Jitter
  /// The time of the next tick, in ns.
  var time = 1e9
  /// The number of the next tick.
  private(set) var tick = 0
  /// The largest differences so far.
  private(set) var worstTempo = 0.0
  private(set) var worstPhaseMilliseconds = 0.0

  init(_ jitter: Jitter = .none, seed: UInt64 = 1) {
    (self.jitter, random) = (jitter, Random(seed: seed))
    tracker.receive([0xfa], at: 990_000_000)
  }

  /// Sends ticks at a tempo; `deliver` may change how a tick arrives.
  mutating func run(
    seconds: Double, tempo: Double,
    deliver: (inout ClockTracker, UInt64, Int) -> Void = { tracker, time, _ in
      tracker.receive([0xf8], at: time)
    }
  ) {
    let end = time + seconds * 1e9
    while time < end {
      let arrival = max(time - 1e9, jitter.apply(to: time, &random))
      deliver(&tracker, UInt64(arrival), tick)
      let reading = tracker.reading
      let phase = reading.quarters(at: UInt64(time)) - Double(tick) / 24
      worstTempo = max(worstTempo, abs(reading.quartersPerMinute - tempo))
      worstPhaseMilliseconds = max(worstPhaseMilliseconds, abs(phase) * 60e3 / tempo)
      tick += 1
      time += 60e9 / (24 * tempo)
    }
  }

  /// Forgets the differences so far.
  mutating func reset() { (worstTempo, worstPhaseMilliseconds) = (0, 0) }
}
