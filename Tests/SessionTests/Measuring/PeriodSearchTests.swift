// PeriodSearchTests.swift: the order of the search, and its choice. SPDX-License-Identifier: MIT

import AudioDriver
import DummyDriver
import Foundation
import Session
import Testing

/// A device that is stable at given settings, and has a shortest period.
private struct Card {
  var least = 16
  var holds: (PeriodSetting) -> Bool

  func search(from start: Int = 1_024, endAfter: Int = .max) -> PeriodSearch {
    var search = PeriodSearch()
    var count = 0
    search.run(from: start) { asked, isNew in
      if count == endAfter { return .interrupted }
      let got = PeriodSetting(
        periodFrames: max(least, asked.periodFrames), periodCount: asked.periodCount)
      guard isNew(got) else { return .repeated }
      count += 1
      return .measured(
        PeriodResult(
          setting: got, seconds: 1, xrunCount: holds(got) ? 0 : 3, worstLoad: 0.5,
          worstLatenessSeconds: 0))
    }
    return search
  }
}

private func settings(_ search: PeriodSearch) -> [String] {
  search.trials.map { "\($0.setting.periodFrames)x\($0.setting.periodCount)\($0.holds ? "" : "-")" }
}

@Suite struct PeriodSearchTests {
  @Test func `a card that works at every setting is measured down to its shortest period`() {
    let search = Card { _ in true }.search()
    #expect(
      settings(search) == ["1024x2", "512x2", "256x2", "128x2", "64x2", "32x2", "16x2"])
    #expect(search.isComplete)
    #expect(search.best()?.setting == PeriodSetting(periodFrames: 16, periodCount: 2))
  }

  @Test func `if two periods fail, three and four are tried`() {
    let search = Card { $0.latencyFrames >= 192 }.search(from: 256)
    #expect(settings(search) == ["256x2", "128x2", "64x2-", "64x3", "32x2-", "32x3-", "32x4-"])
    #expect(search.best()?.setting == PeriodSetting(periodFrames: 64, periodCount: 3))
  }

  @Test func `of two settings with the same latency the longer period is chosen`() {
    let search = Card { $0.latencyFrames >= 256 }.search(from: 256)
    #expect(
      settings(search) == ["256x2", "128x2", "64x2-", "64x3-", "64x4", "32x2-", "32x3-", "32x4-"])
    #expect(search.best()?.setting == PeriodSetting(periodFrames: 128, periodCount: 2))
  }

  @Test func `a margin chooses more latency than the shortest stable setting`() {
    let search = Card { $0.latencyFrames >= 192 }.search(from: 256)
    #expect(
      search.best(marginPercent: 30)?.setting == PeriodSetting(periodFrames: 128, periodCount: 2))
    // More than was measured: the result is the longest one.
    #expect(
      search.best(marginPercent: 900)?.setting == PeriodSetting(periodFrames: 256, periodCount: 2))
  }

  @Test func `a card that works at no setting ends the search at once, without a result`() {
    let search = Card { _ in false }.search()
    #expect(settings(search) == ["1024x2-", "1024x3-", "1024x4-"])
    #expect(search.isComplete)
    #expect(search.best() == nil)
  }

  @Test func `an interrupted search keeps its measurements and is not complete`() {
    let search = Card { _ in true }.search(endAfter: 2)
    #expect(settings(search) == ["1024x2", "512x2"])
    #expect(!search.isComplete)
  }
}

@Suite(.serialized) struct PeriodMeasurementTests {
  private func measurement(seconds: Double) throws -> PeriodMeasurement {
    var request = StreamRequest()
    request.inputs = [DeviceRequest(device: "clock")]
    request.outputs = [DeviceRequest(device: "clock")]
    request.periodFrames = 4_800
    var settings = PeriodMeasurement.Settings()
    settings.seconds = seconds
    settings.load = 0.2
    return try PeriodMeasurement(try DummyDriver(request: request), settings)
  }

  @Test func `a trial runs for its time under its load`() throws {
    let measurement = try measurement(seconds: 0.5)
    let trial = try #require(
      try measurement.run { seconds in
        Thread.sleep(forTimeInterval: seconds)
        return true
      })
    #expect(trial.setting.periodFrames == 4_800)
    #expect(trial.seconds >= 0.5)
    #expect(trial.worstLoad >= 0.2)
    #expect(!measurement.driver.status.isRunning)
  }

  @Test func `cancelling ends a trial without a result`() throws {
    let measurement = try measurement(seconds: 100)
    #expect(try measurement.run { _ in false } == nil)
    #expect(!measurement.driver.status.isRunning)
  }
}
