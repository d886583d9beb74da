// DriftRangeMonitor.swift: detects a clock that is too far off to be followed.
// SPDX-License-Identifier: MIT

/// Measures how much faster a device moves than the primary device, by counting frames.
///
/// A loop at its limit gives no further information, and its buffer underruns or overruns
/// repeatedly. The frames of both devices are therefore counted in stretches. Two consecutive
/// stretches that agree and that no loop could follow are a result. A device that stalled or caught
/// up has no such pair.
package struct DriftRangeMonitor: BitwiseCopyable, Sendable {
  /// The largest drift that can be followed.
  ///
  /// It is the loop's limit minus the measurement error. A quartz is a hundred times more exact.
  package static var maximumCorrectableDrift: Double {
    @_noLocks get { DelayLockedLoop.correctionLimit - 0.001 }
  }
  /// A larger difference is another rate or a stall, which other code detects.
  private static var maximumShare: Double { @_noLocks get { 0.07 } }
  /// The largest difference between two measurements of the same clock.
  private static var agreementTolerance: Double { @_noLocks get { 0.006 } }
  /// The shortest measurement, in seconds.
  private static var shortestSeconds: Double { @_noLocks get { 2 } }
  /// The smallest number of position steps in a measurement: its ends are exact to a part of a
  /// step.
  private static var minimumStepCount: Double { @_noLocks get { 500 } }

  /// Frames of the device for each frame of the primary device, by their nominal rates.
  private let nominalRatio: Double
  /// The length of a measurement in frames of the primary device.
  private let stretchFrames: Double
  /// The last position; NaN if it does not count.
  private var lastPosition = Double.nan
  private var deviceFrames = 0.0
  private var primaryFrames = 0.0
  /// The previous result, relative, if it was out of range; otherwise 0.
  private var before = 0.0
  /// The difference of the device's clock, in parts per million, if it is too large to be followed;
  /// otherwise 0. [render]
  package private(set) var partsPerMillion = 0.0

  /// Creates a monitor for a device that has not moved yet. [any]
  @_noLocks
  package init(_ request: FollowerSettings) {
    nominalRatio = request.deviceRateHz / request.primaryRateHz
    let seconds = max(
      Self.shortestSeconds,
      Self.minimumStepCount * Double(request.deviceStepFrames) / request.deviceRateHz)
    stretchFrames = seconds * request.primaryRateHz
  }

  /// Records the position of the device in each period, in its frames from any origin, one period
  /// after the previous call. [render]
  @_noLocks
  mutating func record(position: Double, blockFrames: Int) {
    let moved = position - lastPosition
    lastPosition = position
    if moved.isNaN { return }
    deviceFrames += moved
    primaryFrames += Double(blockFrames)
    if primaryFrames >= stretchFrames { evaluateWindow() }
  }

  /// Ends the measurement because the device is stopped or started. [render]
  @_noLocks
  mutating func pause() { lastPosition = .nan }

  /// Discards the counts because the primary device stalled. [render]
  @_noLocks
  mutating func restart() {
    pause()
    deviceFrames = 0
    primaryFrames = 0
    before = 0
  }

  @_noLocks
  private mutating func evaluateWindow() {
    let deviation = deviceFrames / (primaryFrames * nominalRatio) - 1
    deviceFrames = 0
    primaryFrames = 0
    let exceedsRange =
      abs(deviation) > Self.maximumCorrectableDrift && abs(deviation) < Self.maximumShare
    if exceedsRange, abs(deviation - before) < Self.agreementTolerance {
      partsPerMillion = (deviation + before) / 2 * 1e6
    }
    before = exceedsRange ? deviation : 0
  }
}
