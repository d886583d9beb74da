// LatencyMeasurementTests.swift: rounds, their agreement, and what spoils them. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Foundation
import Session
import Synchronization
import Testing

private func wait(_ seconds: Double) -> Bool {
  Thread.sleep(forTimeInterval: 0.001)
  return true
}

private func measure(
  _ driver: CableDriver, rounds: Int = 3, report: (Int, LatencyMeasurement.Round) -> Void = { _, _ in }
) throws -> LatencyMeasurement.Outcome {
  var settings = LatencyMeasurement.Settings()
  settings.roundCount = rounds
  return try LatencyMeasurement(driver, settings).run(pause: wait, report: report)
}

@Suite struct LatencyMeasurementTests {
  @Test(arguments: [192, 200, 1_000])
  func `the round trip is measured beside what the settings imply`(delay: Int) throws {
    var reported: [Int] = []
    let outcome = try measure(CableDriver(delayFrames: delay)) { number, round in
      reported.append(number)
      guard case .heard(let reading) = round else {
        Issue.record("round \(number) was \(round)")
        return
      }
      #expect(abs(reading.frames - Double(delay)) < 0.01)
    }
    #expect(abs(outcome.frames - Double(delay)) < 0.01)
    #expect(outcome.impliedFrames == 192)
    #expect(outcome.agreeingCount == 3)
    #expect(outcome.rounds.count == 3)
    #expect(reported == [1, 2, 3])
  }

  @Test func `an inverting path is told`() throws {
    let outcome = try measure(CableDriver(delayFrames: 300) { sample, _ in -0.25 * sample })
    #expect(outcome.reading.isInverted)
    #expect(abs(outcome.reading.gainDecibels + 12.04) < 0.1)
  }

  @Test func `without a cable the sentence says what to connect`() throws {
    let driver = CableDriver(delayFrames: 192) { _, _ in 0 }
    var settings = LatencyMeasurement.Settings()
    settings.outputNumber = 3
    settings.inputNumber = 2
    let measurement = try LatencyMeasurement(driver, settings)
    let error = #expect(throws: LatencyError.self) {
      try measurement.run(pause: wait, report: { _, _ in })
    }
    #expect(
      error?.description
        == "Nothing came back: connect output 3 of hw:Cable to input 2 of hw:Cable with a cable,"
        + " turn the input's gain up, and measure again.")
  }

  @Test func `a round with an xrun in it is measured again`() throws {
    // The first round begins after 1600 frames and lasts more than 6000.
    let outcome = try measure(CableDriver(delayFrames: 250, xrunFrames: [4_000]))
    #expect(outcome.rounds.contains(.disturbed(xrunCount: 1)))
    #expect(outcome.rounds.count == 4)
    #expect(outcome.agreeingCount == 3)
    #expect(abs(outcome.frames - 250) < 0.01)
  }

  @Test func `xruns in every round end the measurement`() {
    let xruns = Array(stride(from: 0, to: 1_000_000, by: 500))
    let error = #expect(throws: LatencyError.self) {
      _ = try measure(CableDriver(delayFrames: 250, xrunFrames: xruns))
    }
    guard case .disturbed(let rounds, let count) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(rounds == 7)
    #expect(count >= rounds)
  }

  @Test func `a delay that is another each time is no result`() {
    // The cable grows: what was played last is heard from memory, later in each round.
    let memory = Memory()
    let driver = CableDriver(delayFrames: 64) { sample, frame in
      memory.exchange(sample, frame, delay: frame / 400)
    }
    let error = #expect(throws: LatencyError.self) { _ = try measure(driver) }
    guard case .unsteady(let frames) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(frames.count == 6)
  }

  @Test func `a device that is lost ends it with the reason`() {
    let error = #expect(throws: LatencyError.self) {
      _ = try measure(CableDriver(delayFrames: 250, lostFrame: 3_000))
    }
    #expect(error == .deviceLost(reason: "It is gone."))
  }

  @Test func `the user's wish ends it without a result`() throws {
    let measurement = try LatencyMeasurement(CableDriver(delayFrames: 250))
    #expect(throws: LatencyError.interrupted) {
      try measurement.run(pause: { _ in false }, report: { _, _ in })
    }
  }
}

/// What was played, to be heard later; used by the driver's thread alone.
private final class Memory: @unchecked Sendable {
  private var samples = [Float](repeating: 0, count: 1_000_000)

  func exchange(_ sample: Float, _ frame: Int, delay: Int) -> Float {
    guard frame < samples.count else { return 0 }
    samples[frame] = sample
    // Steps of a whole round's length: within one the delay stands still.
    let step = delay / 17 * 17
    return frame >= step ? samples[frame - step] : 0
  }
}
