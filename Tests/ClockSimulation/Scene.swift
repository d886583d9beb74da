// Scene.swift: a master and a followed device, played in virtual time. SPDX-License-Identifier: MIT

package import AdaptiveResampling

/// The devices of one test and their behaviour.
package struct Scene: Sendable {
  /// The rate of the graph.
  package var primaryRateHz = 48_000.0
  /// The master's period.
  package var blockFrames = 256
  /// The followed device's clock.
  package var clock = VirtualClock(rateHz: 48_000)
  /// The followed device's buffer.
  package var deviceBufferFrames = 2_048
  /// Whether the device's position comes with a time stamp.
  package var hasTimeStamps = false
  /// The audio thread wakes up late by a random time up to this limit, and measures it.
  package var latestSeconds = 0.000_2
  /// The time steps at which the master wakes, like another cable of the loopback card; 0 for none.
  package var wakesEachSeconds = 0.0
  /// The initial frames in the device's buffer.
  package var initialFrames = 0
  /// Whether the loop is on.
  package var clocksDiffer = true
  /// The quality of interpolation.
  package var quality = ResamplerQuality.medium
  /// The source: captured or rendered frames by their index.
  package var signal: @Sendable (Int) -> Float = { _ in 0 }
  /// The number of periods after which the driver reports a restart of the device; -1 for never.
  package var restartsAtPeriod = -1
  /// Whether the audio is recorded.
  package var records = false

  /// Two cards at 48 kHz. [any]
  package init() {}

  /// Makes another cable of the same card a follower of the loopback card, on the same tick. [any]
  package mutating func follow(_ cable: LoopbackCable, rateShift: Int) {
    clock.cable = cable
    clock.stepFrames = Int(clock.rateHz) / LoopbackCable.ticksPerSecond
    clock.partsPerMillion = (100_000 / Double(rateShift) - 1) * 1e6
    wakesEachSeconds = 1 / Double(LoopbackCable.ticksPerSecond)
    latestSeconds = 0
    deviceBufferFrames = 4_096
  }

  /// The settings of the follower. [any]
  package var request: FollowerSettings {
    FollowerSettings(
      channelCount: 1, deviceRateHz: clock.rateHz, primaryRateHz: primaryRateHz,
      blockFrames: blockFrames, deviceBufferFrames: deviceBufferFrames,
      deviceStepFrames: clock.stepFrames,
      clocksDiffer: clocksDiffer, quality: quality)
  }
}

/// The results.
package struct Outcome: Sendable {
  /// The last status of the follower.
  package var status = FollowerStatus()
  /// The audio: frames pulled from an input, or frames played by an output.
  package var sound: [Float] = []
  /// The true fill level minus its target at each period, in frames of the device.
  package var errorFrames: [Double] = []
  /// The excess that was reported at each period, in frames of the device.
  package var excessFrames: [Double] = []
  /// The drift that was reported at each period.
  package var driftPartsPerMillion: [Double] = []
  /// Frames that the device wanted to play but did not get, or captured without room for them.
  package var lostFrames = 0
  /// The reported latency, in frames of the primary device.
  package var latencyFrames = 0.0
  /// The period at which audio began, or -1.
  package var firstPeriod = -1

  /// The mean, and the largest deviation of the errors from it, from a period on.
  package func fill(from period: Int) -> (mean: Double, spread: Double) {
    let part = errorFrames[period...]
    let mean = part.reduce(0, +) / Double(part.count)
    return (mean, part.map { abs($0 - mean) }.max() ?? 0)
  }
}

extension Outcome {
  mutating func note(_ status: FollowerStatus, error: Double) {
    if firstPeriod < 0, status.phase != .filling { firstPeriod = errorFrames.count }
    errorFrames.append(error)
    excessFrames.append(status.fillErrorFrames)
    driftPartsPerMillion.append(status.driftPartsPerMillion)
    self.status = status
  }
}

/// A primary device in virtual time: when its periods are due, and when its thread wakes up.
struct Master {
  private let scene: Scene
  private var random = SeededGenerator(seed: 7)
  private var period = 0
  /// When the period is due, in seconds.
  private(set) var due = 0.0
  /// When the audio thread wakes up.
  private(set) var now = 0.0

  init(_ scene: Scene) { self.scene = scene }

  var lateFrames: Double { (now - due) * scene.primaryRateHz }

  /// Waits for the next period; returns false after the given number of seconds.
  mutating func wait(atMost seconds: Double) -> Bool {
    period += 1
    due = Double(period * scene.blockFrames) / scene.primaryRateHz
    let each = scene.wakesEachSeconds
    let woken = each > 0 ? (due / each - 1e-9).rounded(.up) * each : due
    now = woken + Double.random(in: 0 ... scene.latestSeconds, using: &random)
    return due <= seconds
  }

  func observation(deviceFrames: Int) -> ClockObservation {
    ClockObservation(
      deviceFrames: Double(deviceFrames),
      ageSeconds: scene.hasTimeStamps ? scene.clock.ageSeconds(now) : nil,
      primaryLateFrames: lateFrames)
  }
}
