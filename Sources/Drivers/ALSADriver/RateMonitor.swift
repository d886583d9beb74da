// RateMonitor.swift: checks whether a card runs at its reported rate. SPDX-License-Identifier: MIT

/// Counts the frames that a card moves against the system clock.
///
/// A card with an external clock may run at another rate than it reports. The same happens if
/// another program has set the rate of its other direction. All audio would then have the wrong
/// pitch.
struct RateMonitor: BitwiseCopyable {
  /// A larger difference is not drift: clocks of cards are accurate to a hundredth of it.
  private static var tolerance: Double { @_noLocks get { 0.03 } }

  /// The rate at which the card ran in the last measurement, in Hz.
  private(set) var rateHz: Double
  private let nominalRateHz: Double
  /// The length of a measurement: long enough that the fill of the buffer is below the tolerance.
  private let stretchNanoseconds: UInt64
  private var began: UInt64 = 0
  private var frames = 0
  /// The number of consecutive measurements that were too fast; negative if too slow.
  private var wrongStretches = 0

  /// Creates a monitor of a card that reports `rateHz`. [main]
  init(rateHz: Double, bufferFrames: Int) {
    self.rateHz = rateHz
    nominalRateHz = rateHz
    stretchNanoseconds = UInt64(1e9 * max(0.5, 50 * Double(bufferFrames) / rateHz))
  }

  /// Restarts after an interruption.
  @_noLocks
  mutating func restart() {
    began = 0
    wrongStretches = 0
  }

  /// Records transferred frames.
  ///
  /// Returns whether two consecutive measurements show another rate.
  @inline(__always)
  @_noLocks
  mutating func record(_ frameCount: Int, at nanoseconds: UInt64) -> Bool {
    frames &+= frameCount
    if nanoseconds &- began < stretchNanoseconds { return false }
    return evaluate(at: nanoseconds)
  }

  /// Ends a measurement, or begins the first one.
  @inline(never)
  @_noLocks
  private mutating func evaluate(at nanoseconds: UInt64) -> Bool {
    let isFirst = began == 0
    let elapsed = nanoseconds &- began
    began = nanoseconds
    defer { frames = 0 }
    if isFirst { return false }
    rateHz = 1e9 * Double(frames) / Double(elapsed)
    // A delay and the catching up after it are errors in opposite directions.
    let deviation = rateHz / nominalRateHz - 1
    if deviation > Self.tolerance {
      wrongStretches = max(0, wrongStretches) &+ 1
    } else if deviation < -Self.tolerance {
      wrongStretches = min(0, wrongStretches) &- 1
    } else {
      wrongStretches = 0
    }
    return abs(wrongStretches) >= 2
  }
}

extension RateMonitor {
  /// Returns the usual rate near a measured one, in Hz, because the measurement is not more exact.
  /// [main]
  ///
  /// Nil if there is none: the card transfers irregularly, and does not have another clock.
  static func standardRate(near measuredHz: Double) -> Int? {
    let standard = HardwareParameters.standardRates.min {
      abs(Double($0) - measuredHz) < abs(Double($1) - measuredHz)
    }
    guard let standard, abs(Double(standard) / measuredHz - 1) < 0.02 else { return nil }
    return standard
  }
}
