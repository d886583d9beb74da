// DelayLockedLoop.swift: measures how much faster another clock runs. SPDX-License-Identifier: MIT

/// A second-order loop that keeps a buffer between two clocks at its target, and learns their drift.
///
/// Each period it receives the fill error of the buffer and returns the relative speed at which to
/// serve the device. The design follows F. Adriaensen, "Using a DLL to filter time" (2005) and
/// "Controlling adaptive resampling" (2012): proportional and integral control behind two equal
/// low-pass poles, which prevent the steps of a device's position from causing phase modulation.
///
/// Those papers switch from one bandwidth to another. Here the bandwidth narrows continuously. With
/// gains of 4/T and 6/T², where T is the elapsed time, the loop is the recursive form of a
/// least-squares line through all errors so far. So it learns the drift as fast as the noise of the
/// errors permits. T begins at `shortestMemorySeconds` and stops at `longestMemorySeconds`.
///
/// The loop deliberately ignores changes that are faster than about 10 ms. A clock that jumps is
/// detected by the remaining error, and the memory restarts.
package struct DelayLockedLoop: BitwiseCopyable, Sendable {
  // All of these are computed, because a static variable would be initialised under a lock.

  /// The memory at the start: a bandwidth of 0.78 Hz, which is inaudible and learns a drift of 500
  /// ppm before 10 frames have accumulated.
  package static var shortestMemorySeconds: Double { @_noLocks get { 0.5 } }
  /// The memory at the end: a bandwidth of 0.013 Hz.
  ///
  /// A drift that changes by 1 ppm a minute then leaves an error of 0.1 frames, and position steps
  /// of 192 frames stay below -100 dBFS.
  package static var longestMemorySeconds: Double { @_noLocks get { 30 } }
  /// The largest correction: a card beyond 2 % is defective, not inexact.
  package static var correctionLimit: Double { @_noLocks get { 0.02 } }

  /// The low-pass poles, as a multiple of the loop's natural frequency: 10 costs 18 degrees of
  /// phase at the crossover.
  private static var poleRatio: Double { @_noLocks get { 10 } }
  /// How long errors are averaged for the jitter, in seconds.
  private static var jitterMemorySeconds: Double { @_noLocks get { 2 } }

  /// The current relative correction of the device's nominal rate, -0.02 to 0.02.
  package private(set) var correction = 0.0
  /// The fill error after the low-pass poles, in frames of the device; positive is too full.
  package private(set) var smoothedErrorFrames = 0.0

  /// The mean square of the error that the low-pass poles removed, in frames squared.
  package private(set) var squaredJitter = 0.0

  private let rateHz: Double
  private let reopeningFrames: Double
  private var drift = 0.0
  private var firstPole = 0.0
  private var memorySeconds = shortestMemorySeconds

  /// Creates a loop without any measurement.
  ///
  /// - Parameters:
  ///   - rateHz: the nominal rate of the follower, above 0.
  ///   - reopeningFrames: a smoothed error beyond this means that the clock jumped. [any]
  @_noLocks
  package init(rateHz: Double, reopeningFrames: Double) {
    self.rateHz = rateHz
    self.reopeningFrames = reopeningFrames
  }

  /// The difference of the device's clock from its nominal rate, by the primary device's clock.
  /// [any]
  package var driftPartsPerMillion: Double {
    @_noLocks get { drift * 1e6 }
  }

  /// Whether the drift is known: half the longest memory has passed without a jump. [any]
  package var isSettled: Bool {
    @_noLocks get { memorySeconds >= Self.longestMemorySeconds / 2 }
  }

  /// Updates the loop with the fill error of one period.
  ///
  /// - Parameters:
  ///   - errorFrames: the surplus of the buffer over its target, in frames of the device.
  ///   - elapsedSeconds: since the previous call, by the primary device's clock; above 0.
  /// - Returns: the new `correction`. [render]
  @_noLocks
  package mutating func update(errorFrames: Double, elapsedSeconds: Double) -> Double {
    // 6/T² and 4/T: natural frequency √6/T, damping 0.82.
    let memory = memorySeconds
    let naturalFrequency = 2.449_489_742_783_178 / memory
    let reach = Self.poleRatio * naturalFrequency * elapsedSeconds
    // The backward Euler form of a pole is stable for every length of period.
    let weight = reach / (1 + reach)
    firstPole += weight * (errorFrames - firstPole)
    smoothedErrorFrames += weight * (firstPole - smoothedErrorFrames)
    drift = limited(
      drift + 6 / (memory * memory) * elapsedSeconds * smoothedErrorFrames / rateHz)
    correction = limited(drift + 4 / memory * smoothedErrorFrames / rateHz)
    measureJitter(errorFrames - smoothedErrorFrames, elapsedSeconds)
    memorySeconds = min(memory + elapsedSeconds, Self.longestMemorySeconds)
    if abs(smoothedErrorFrames) > reopeningFrames { memorySeconds = Self.shortestMemorySeconds }
    return correction
  }

  /// Restarts with a buffer that was set to its target; the learnt drift is kept. [render]
  @_noLocks
  package mutating func resume() {
    firstPole = 0
    smoothedErrorFrames = 0
    correction = drift
    memorySeconds = Self.shortestMemorySeconds
  }

  @_noLocks
  private mutating func measureJitter(_ difference: Double, _ elapsedSeconds: Double) {
    let weight = elapsedSeconds / (Self.jitterMemorySeconds + elapsedSeconds)
    squaredJitter += weight * (difference * difference - squaredJitter)
  }

  @_noLocks
  private func limited(_ value: Double) -> Double {
    max(-Self.correctionLimit, min(value, Self.correctionLimit))
  }
}
