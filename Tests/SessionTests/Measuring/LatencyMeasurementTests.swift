// LatencyMeasurementTests.swift: rounds, their agreement, and faulty rounds. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Foundation
import Session
import Testing

private func wait(_ seconds: Double) -> Bool {
  Thread.sleep(forTimeInterval: 0.001)
  return true
}

private func measure(
  _ driver: LoopbackDriver, rounds: Int = 3,
  report: (Int, LatencyMeasurement.Round) -> Void = { _, _ in }
) throws -> LatencyMeasurement.Outcome {
  var settings = LatencyMeasurement.Settings()
  settings.roundCount = rounds
  return try LatencyMeasurement(driver, settings).run(pause: wait, report: report)
}

@Suite struct LatencyMeasurementTests {
  @Test(arguments: [192, 200, 1_000])
  func `the measured round trip is reported with the one that the settings imply`(delay: Int)
    throws
  {
    var reported: [Int] = []
    let outcome = try measure(LoopbackDriver { _ in delay }) { number, round in
      reported.append(number)
      guard case .measured(let reading) = round else {
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

  @Test func `an inverting path is reported`() throws {
    let outcome = try measure(LoopbackDriver(cable: { -0.25 * $0 }, delayFrames: { _ in 300 }))
    #expect(outcome.reading.isInverted)
    #expect(abs(outcome.reading.gainDecibels + 12.04) < 0.1)
  }

  @Test func `without a cable the message says what to connect`() throws {
    let driver = LoopbackDriver(cable: { _ in 0 }, delayFrames: { _ in 192 })
    var settings = LatencyMeasurement.Settings()
    settings.outputNumber = 3
    settings.inputNumber = 2
    let measurement = try LatencyMeasurement(driver, settings)
    let error = #expect(throws: LatencyError.self) {
      try measurement.run(pause: wait, report: { _, _ in })
    }
    #expect(
      error?.description
        == "No signal received. Connect output 3 of hw:Cable to input 2 of hw:Cable with a cable"
        + " and raise the input gain.")
  }

  @Test func `a round with an xrun is measured again`() throws {
    let outcome = try measure(LoopbackDriver(spoiltRounds: 2) { _ in 250 })
    #expect(outcome.rounds[..<2] == [.disturbed(xrunCount: 1), .disturbed(xrunCount: 1)])
    #expect(outcome.rounds.count == 5)
    #expect(outcome.agreeingCount == 3)
    #expect(abs(outcome.frames - 250) < 0.01)
  }

  @Test func `xruns in every round end the measurement`() {
    let error = #expect(throws: LatencyError.self) {
      _ = try measure(LoopbackDriver(spoiltRounds: .max) { _ in 250 })
    }
    #expect(error == .disturbed(roundCount: 7, xrunCount: 7))
    #expect(
      error?.description
        == "7 xruns invalidated 7 rounds. Use a longer --period or more --periods.")
  }

  @Test func `delays that differ in each round are not a result`() {
    let error = #expect(throws: LatencyError.self) {
      _ = try measure(LoopbackDriver { round in 200 + 17 * round })
    }
    guard case .unsteady(let frames) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(frames.map { $0.rounded() } == [217, 234, 251, 268, 285, 302])
  }

  @Test func `one round that differs is ignored if two agree`() throws {
    let outcome = try measure(LoopbackDriver { round in round == 2 ? 500 : 250 })
    #expect(abs(outcome.frames - 250) < 0.01)
    #expect(outcome.agreeingCount == 2)
    #expect(outcome.rounds.count == 3)
  }

  @Test func `a lost device ends the measurement with the reason`() {
    let error = #expect(throws: LatencyError.self) {
      _ = try measure(LoopbackDriver(lostFrame: 3_000) { _ in 250 })
    }
    #expect(error == .deviceLost(reason: "It is gone."))
  }

  @Test func `cancelling ends the measurement without a result`() throws {
    let measurement = try LatencyMeasurement(LoopbackDriver { _ in 250 })
    #expect(throws: LatencyError.interrupted) {
      try measurement.run(pause: { _ in false }, report: { _, _ in })
    }
  }
}
