// DelayLockedLoop.swift: finds how much faster another clock runs. SPDX-License-Identifier: MIT

/// A second-order loop that keeps a buffer between two clocks at its target, and learns their drift.
///
/// It is fed with the buffer's fill error once a period and answers with the relative speed at which
/// to serve it. The form is that of F. Adriaensen, "Using a DLL to filter time" (2005) and
/// "Controlling adaptive resampling" (2012): proportional and integral control behind two equal
/// low-pass poles, which keep the steps of a device's pointer from becoming phase modulation.
///
/// Where those papers switch from one bandwidth to another, here it narrows at every step: with
/// gains of 4/T and 6/T², T being the time it has looked, the loop is the recursive form of a line
/// fitted by least squares to all errors so far, and so learns the drift as fast as their noise
/// permits. T begins at `shortestMemorySeconds` and stops at `longestMemorySeconds`.
///
/// Faster than the 10 ms or so of a period it is deaf by intent: a clock that jumps is noticed by the
/// error it leaves, and the memory is begun anew.
package struct DelayLockedLoop: BitwiseCopyable, Sendable {
  // Computed, all of them, as a static variable would be initialised under a lock.

  /// The memory it begins with: a bandwidth of 0.78 Hz, which is audible for nobody and takes a
  /// drift of 500 ppm before 10 frames have gathered.
  package static var shortestMemorySeconds: Double { @_noLocks get { 0.5 } }
  /// The memory it ends with: a bandwidth of 0.013 Hz.
  ///
  /// A drift that changes by 1 ppm a minute then
  /// leaves an error of 0.1 frames, and steps of 192 frames in a pointer stay below -100 dBFS.
  package static var longestMemorySeconds: Double { @_noLocks get { 30 } }
  /// The fastest and slowest correction: beyond 2 % a card is not off but broken.
  package static var correctionLimit: Double { @_noLocks get { 0.02 } }

  /// The low-pass poles, as a multiple of the loop's natural frequency: 10 costs 18 degrees of phase
  /// where the loop closes.
  private static var poleRatio: Double { @_noLocks get { 10 } }
  /// How long errors are averaged for the jitter, in seconds.
  private static var jitterMemorySeconds: Double { @_noLocks get { 2 } }

  /// How much faster than its nominal rate the device is served now, relative: -0.02 to 0.02.
  package private(set) var correction = 0.0
  /// The fill error behind the low-pass poles, in frames of the device; positive is too full.
  package private(set) var smoothedErrorFrames = 0.0

  /// The mean square of what the low-pass poles took off the error, in frames squared.
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

  /// Takes the fill error of one period.
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
    let share = reach / (1 + reach)
    firstPole += share * (errorFrames - firstPole)
    smoothedErrorFrames += share * (firstPole - smoothedErrorFrames)
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
    let share = elapsedSeconds / (Self.jitterMemorySeconds + elapsedSeconds)
    squaredJitter += share * (difference * difference - squaredJitter)
  }

  @_noLocks
  private func limited(_ value: Double) -> Double {
    max(-Self.correctionLimit, min(value, Self.correctionLimit))
  }
}
