// VirtualClock.swift: a device's clock in virtual time. SPDX-License-Identifier: MIT

import Glibc

/// The position of a device over time, in seconds of the primary device's clock.
package struct VirtualClock: Sendable {
  package var rateHz: Double
  /// The deviation from its nominal rate.
  package var partsPerMillion = 0.0
  /// A slow variation of the drift, like that of a card that warms up and cools down.
  package var swingPartsPerMillion = 0.0
  package var swingSeconds = 60.0
  /// The step size of the reported position in frames.
  package var stepFrames = 1
  /// The position of the first step.
  package var phaseFrames = 0.37
  /// The time at which it stops, and how long.
  package var stopsAt = Double.infinity
  package var stalledSeconds = 0.0
  /// The loopback card whose position is reported.
  ///
  /// If nil, this clock's own position in steps is.
  package var cable: LoopbackCable?

  /// A clock with this nominal rate. [any]
  package init(rateHz: Double) { self.rateHz = rateHz }

  /// Returns the time of a position, if its drift never varies and it never stops. [any]
  package func seconds(position: Double) -> Double {
    (position - phaseFrames) / (rateHz * (1 + partsPerMillion * 1e-6))
  }

  /// The true position, in frames. [any]
  package func position(_ seconds: Double) -> Double {
    let running =
      seconds < stopsAt ? seconds : max(stopsAt, seconds - stalledSeconds)
    let swing =
      swingSeconds / (2 * .pi) * (1 - cos(2 * .pi * running / swingSeconds))
    let drifted = (partsPerMillion * running + swingPartsPerMillion * swing) * 1e-6
    return rateHz * (running + drifted) + phaseFrames
  }

  /// The position that the driver reads. [any]
  package func seenPosition(_ seconds: Double) -> Int {
    if let cable { return cable.position(seconds) }
    return Int((position(seconds) / Double(stepFrames)).rounded(.down)) * stepFrames
  }

  /// Returns the age of the reported position in seconds. [any]
  package func ageSeconds(_ seconds: Double) -> Double {
    (position(seconds) - Double(seenPosition(seconds))) / (rateHz * (1 + partsPerMillion * 1e-6))
  }
}

/// The same numbers every time.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Numbers that depend on the seed alone. [any]
  package init(seed: UInt64) { state = seed }

  /// The next number. [any]
  package mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    // The low bits of such a generator have short periods.
    return (state >> 32) | (state << 32)
  }
}
