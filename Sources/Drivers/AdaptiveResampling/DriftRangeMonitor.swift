// DriftRangeMonitor.swift: notices a clock that is too far off to be followed. SPDX-License-Identifier: MIT

/// Measures how much faster a device moves than the primary device, by counting frames.
///
/// A loop at its limit gives no further information, and its buffer underruns or overruns
/// repeatedly. The frames of both devices are therefore counted in stretches. Two consecutive
/// stretches that agree and that no loop could follow are a result. A device that stalled or caught
/// up has no such pair.
package struct DriftRangeMonitor: BitwiseCopyable, Sendable {
  /// Beyond this a clock counts as one that cannot be followed.
  ///
  /// The loop's limit, less what the counting may be off. A quartz is off by a hundredth of it.
  package static var followableShare: Double {
    @_noLocks get { DelayLockedLoop.correctionLimit - 0.001 }
  }
  /// A larger difference is another rate or a stall, which other code detects.
  private static var mostShare: Double { @_noLocks get { 0.07 } }
  /// How far two stretches of one clock may be apart.
  private static var agreementShare: Double { @_noLocks get { 0.006 } }
  /// How long is counted at least, in seconds.
  private static var shortestSeconds: Double { @_noLocks get { 2 } }
  /// How many steps of the device's position are counted at least: the ends of a stretch are each known to a
  /// part of one.
  private static var fewestSteps: Double { @_noLocks get { 500 } }

  /// Frames of the device for each frame of the primary device, by their nominal rates.
  private let nominalRatio: Double
  /// Frames of the primary device in a stretch.
  private let stretchFrames: Double
  /// Where the device stood; NaN where that does not count.
  private var lastPosition = Double.nan
  private var deviceFrames = 0.0
  private var masterFrames = 0.0
  /// What the stretch before came to, relative, where that was beyond the range; else 0.
  private var before = 0.0
  /// By how much the device's clock is faster, in parts per million, where that is beyond what can be
  /// followed; else 0. [render]
  package private(set) var partsPerMillion = 0.0

  /// A watch of a device that has not moved yet. [any]
  @_noLocks
  package init(_ request: FollowerSettings) {
    nominalRatio = request.deviceRateHz / request.masterRateHz
    let seconds = max(
      Self.shortestSeconds,
      Self.fewestSteps * Double(request.deviceStepFrames) / request.deviceRateHz)
    stretchFrames = seconds * request.masterRateHz
  }

  /// Notes the position of the device in each period, in its frames from any origin, one period
  /// after the previous call. [render]
  @_noLocks
  mutating func note(position: Double, blockFrames: Int) {
    let moved = position - lastPosition
    lastPosition = position
    if moved.isNaN { return }
    deviceFrames += moved
    masterFrames += Double(blockFrames)
    if masterFrames >= stretchFrames { judge() }
  }

  /// Ends the stretch because the device is stopped or started. [render]
  @_noLocks
  mutating func pause() { lastPosition = .nan }

  /// Discards the counts because the primary device stalled. [render]
  @_noLocks
  mutating func restart() {
    pause()
    deviceFrames = 0
    masterFrames = 0
    before = 0
  }

  @_noLocks
  private mutating func judge() {
    let share = deviceFrames / (masterFrames * nominalRatio) - 1
    deviceFrames = 0
    masterFrames = 0
    let isBeyond = abs(share) > Self.followableShare && abs(share) < Self.mostShare
    if isBeyond, abs(share - before) < Self.agreementShare {
      partsPerMillion = (share + before) / 2 * 1e6
    }
    before = isBeyond ? share : 0
  }
}
