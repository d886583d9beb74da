// Scene.swift: a master and a followed device, played in virtual time. SPDX-License-Identifier: MIT

@testable import ClockFollowing
import RealtimeKit

/// The devices of one test and how they behave.
struct Scene {
  var masterRateHz = 48_000.0
  var blockFrames = 256
  var clock = VirtualClock(rateHz: 48_000)
  var deviceBufferFrames = 2_048
  /// Whether the device's position comes with a time stamp.
  var hasTimeStamps = false
  /// The audio thread wakes up to so much too late, at random, and knows it.
  var latestSeconds = 0.000_2
  /// What lies in the device's buffer at the beginning.
  var initialFrames = 0
  var clocksDiffer = true
  var quality = ConverterQuality.medium
  /// What the source gives: capture frames by their index, or rendered frames by theirs.
  var signal: (Int) -> Float = { _ in 0 }
  /// Whether what comes out is kept.
  var records = false

  var request: FollowerRequest {
    FollowerRequest(
      channelCount: 1, deviceRateHz: clock.rateHz, masterRateHz: masterRateHz,
      blockFrames: blockFrames, deviceBufferFrames: deviceBufferFrames,
      deviceStepFrames: hasTimeStamps && clock.stepFrames == 1 ? 1 : clock.stepFrames,
      clocksDiffer: clocksDiffer, quality: quality)
  }
}

/// What was seen of it.
struct Outcome {
  var status = FollowerStatus()
  /// What came out: pulled frames of an input, what the device played of an output.
  var sound: [Float] = []
  /// The true fill less its target at each period, in frames of the device.
  var errorFrames: [Double] = []
  var driftPartsPerMillion: [Double] = []
  /// Frames that the device wanted to play, or had no room to capture, and were not there.
  var lostFrames = 0
  var latencyFrames = 0.0
  /// Period at which sound began, -1 if it never did.
  var firstPeriod = -1

  /// Mean and largest departure from it of the errors from a period on.
  func fill(from period: Int) -> (mean: Double, spread: Double) {
    let part = errorFrames[period...]
    let mean = part.reduce(0, +) / Double(part.count)
    return (mean, part.map { abs($0 - mean) }.max() ?? 0)
  }
}

extension Scene {
  /// Plays a capture device for so long.
  func capture(seconds: Double) throws -> Outcome {
    var input = try FollowedInput(request)
    let fresh = PlanarBuffer(channelCount: 1, frameCapacity: deviceBufferFrames)
    let block = PlanarBuffer(channelCount: 1, frameCapacity: blockFrames)
    var random = SeededGenerator(seed: 7)
    var outcome = Outcome()
    outcome.latencyFrames = input.latencyFrames
    var taken = clock.seenPosition(0) - initialFrames
    for period in 1 ... Int(seconds * masterRateHz / Double(blockFrames)) {
      let due = Double(period * blockFrames) / masterRateHz
      let now = due + Double.random(in: 0 ... latestSeconds, using: &random)
      let seen = clock.seenPosition(now)
      if seen - taken > deviceBufferFrames {
        outcome.lostFrames += seen - taken - deviceBufferFrames
        taken = seen - deviceBufferFrames
      }
      for index in 0 ..< seen - taken { fresh[0][index] = signal(taken + index) }
      input.push(fresh.channels, frameCount: seen - taken)
      taken = seen
      input.observe(
        ClockObservation(
          deviceFrames: 0, ageSeconds: hasTimeStamps ? clock.ageSeconds(now) : nil,
          masterLateFrames: (now - due) * masterRateHz), blockFrames: blockFrames)
      outcome.note(
        input.status,
        error: input.heldFrames + clock.position(due) - Double(seen) - Double(input.targetFrames))
      input.pull(block.channels, frameCount: blockFrames)
      if records {
        outcome.sound += UnsafeBufferPointer(start: block[0], count: blockFrames)
      }
    }
    outcome.status = input.status
    return outcome
  }

  /// Plays a playback device for so long; its buffer holds `initialFrames` of silence at first.
  func play(seconds: Double) throws -> Outcome {
    var output = try FollowedOutput(request)
    let block = PlanarBuffer(channelCount: 1, frameCapacity: blockFrames)
    let fresh = PlanarBuffer(channelCount: 1, frameCapacity: deviceBufferFrames)
    var random = SeededGenerator(seed: 7)
    var outcome = Outcome()
    outcome.latencyFrames = output.latencyFrames
    var written = clock.seenPosition(0) + initialFrames
    if records { outcome.sound = [Float](repeating: 0, count: written) }
    for period in 1 ... Int(seconds * masterRateHz / Double(blockFrames)) {
      let due = Double(period * blockFrames) / masterRateHz
      let now = due + Double.random(in: 0 ... latestSeconds, using: &random)
      let seen = clock.seenPosition(now)
      output.observe(
        ClockObservation(
          deviceFrames: Double(written - seen),
          ageSeconds: hasTimeStamps ? clock.ageSeconds(now) : nil,
          masterLateFrames: (now - due) * masterRateHz), blockFrames: blockFrames)
      let held = output.heldFrames + Double(written) - clock.position(due)
      outcome.note(output.status, error: held - Double(output.targetFrames))
      for index in 0 ..< blockFrames {
        block[0][index] = signal((period - 1) * blockFrames + index)
      }
      output.push(block.channels, frameCount: blockFrames)
      // What the device has played meanwhile without having it is lost.
      let late = max(0, Int(clock.position(now)) - written)
      if outcome.firstPeriod >= 0 { outcome.lostFrames += late }
      written += late
      let count = output.pull(
        fresh.channels, frameCount: max(0, deviceBufferFrames - (written - seen)))
      if records {
        outcome.sound += [Float](repeating: 0, count: late)
        outcome.sound += UnsafeBufferPointer(start: fresh[0], count: count)
      }
      written += count
    }
    outcome.status = output.status
    return outcome
  }
}

extension Outcome {
  mutating func note(_ status: FollowerStatus, error: Double) {
    if firstPeriod < 0, status.phase != .waiting { firstPeriod = errorFrames.count }
    errorFrames.append(error)
    driftPartsPerMillion.append(status.driftPartsPerMillion)
  }
}
