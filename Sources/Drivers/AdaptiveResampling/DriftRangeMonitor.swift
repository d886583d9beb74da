// DriftRangeMonitor.swift: notices a clock that is too far off to be followed. SPDX-License-Identifier: MIT

/// Measures how much faster a device moves than its master, by counting alone, whatever a loop makes of it.
///
/// A loop at its limit knows no more than that it is there, and what it steers runs empty or over again
/// and again. So the frames of both are counted in stretches, and two stretches in a row that no loop
/// could follow are a verdict, where they agree: a device that stood still, or caught up, has no such pair.
package struct DriftRangeMonitor: BitwiseCopyable, Sendable {
  /// Beyond this a clock counts as one that cannot be followed.
  ///
  /// The loop's limit, less what the counting may be off. A quartz is off by a hundredth of it.
  package static var followableShare: Double {
    @_noLocks get { DelayLockedLoop.correctionLimit - 0.001 }
  }
  /// Beyond this it is no clock that is off but another rate, or none, which is for others to notice.
  private static var mostShare: Double { @_noLocks get { 0.07 } }
  /// How far two stretches of one clock may be apart.
  private static var agreementShare: Double { @_noLocks get { 0.006 } }
  /// How long is counted at least, in seconds.
  private static var shortestSeconds: Double { @_noLocks get { 2 } }
  /// How many steps of the device's position are counted at least: the ends of a stretch are each known to a
  /// part of one.
  private static var fewestSteps: Double { @_noLocks get { 500 } }

  /// Frames of the device for each frame of the master, by their nominal rates.
  private let nominalRatio: Double
  /// Frames of the master in a stretch.
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

  /// Notes where the device stands in each period, in its frames from anywhere, a period after the call
  /// before. [render]
  @_noLocks
  mutating func note(position: Double, blockFrames: Int) {
    let moved = position - lastPosition
    lastPosition = position
    if moved.isNaN { return }
    deviceFrames += moved
    masterFrames += Double(blockFrames)
    if masterFrames >= stretchFrames { judge() }
  }

  /// What follows does not go on from here, as the device is stopped or started. [render]
  @_noLocks
  mutating func pause() { lastPosition = .nan }

  /// Nothing that was counted is true, as the master stood still. [render]
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
