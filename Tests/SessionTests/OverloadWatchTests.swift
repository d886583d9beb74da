// OverloadWatchTests.swift: messages about overload. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import Session

@Suite struct OverloadWatchTests {
  private let costs = [
    OverloadWatch.Cost(name: "voice", plugin: "outboard.gain", mean: 0.1),
    OverloadWatch.Cost(name: "hall", plugin: "outboard.reverb", mean: 0.7),
  ]

  private let threads = OverloadWatch.Threads(limit: 4, processors: 4, longestPath: 0.7)

  /// The message about a constant load.
  private func message(mean: Double, worst: Double, isLost: Bool = true) -> String? {
    var watch = OverloadWatch()
    for report in 1 ... 100
    where watch.record(
      xrunCount: isLost ? report : 0, mean: mean, maximum: worst, at: Double(report) / 10)
    {
      let isReported = watch.conclude(periodFrames: 64, costs, threads)
      return isReported ? watch.advice.map { "\($0.notice)" } : nil
    }
    return nil
  }

  @Test func `a mean load above 100 % names the node, and a longer period is only a try`()
    throws
  {
    let statement = try #require(message(mean: 1.08, worst: 1.3))
    #expect(
      statement.hasPrefix(
        "The nodes use 108 % of each period of 64 frames, 130 % at worst. This causes dropouts."
          + " hall (outboard.reverb) uses the most, 70 %."))
    #expect(statement.contains("Bypassing hall should be enough (outboard set hall bypass=on)."))
    #expect(
      statement.contains(
        "Try --period 128, which helps only if the cost is per block, or remove nodes."))
  }

  @Test func `occasional delays are reported with the advice to use a longer period`() throws {
    let statement = try #require(message(mean: 0.4, worst: 1.2))
    #expect(statement.contains("A period of 128 frames should be enough (--period 128)."))
    // 40 % of 128 frames, plus the 80 % of 64 frames that the longest one took more, are 80 % of 128.
    #expect(OverloadWatch.holdingPeriod(.init(mean: 0.4, maximum: 1.2, periodFrames: 64)) == 128)
    #expect(OverloadWatch.holdingPeriod(.init(mean: 0.4, maximum: 2.2, periodFrames: 64)) == 512)
    #expect(OverloadWatch.holdingPeriod(.init(mean: 0.79, maximum: 40, periodFrames: 64)) == nil)
  }

  @Test func `a low mean load blames no node`() throws {
    let statement = try #require(message(mean: 0.01, worst: 1.2))
    #expect(
      statement == "The nodes use 1 % of each period of 64 frames, but a block took 120 %. Other"
        + " programs, the machine or a node with uneven cost delay the audio. A period of 128 frames"
        + " should be enough (--period 128).")
  }

  @Test func `nothing is reported without dropouts, or with dropouts that load did not cause`() {
    #expect(message(mean: 0.95, worst: 1, isLost: false) == nil)
    #expect(message(mean: 0.2, worst: 0.3) == nil)
  }

  @Test func `a single late block is attributed to no node`() {
    var watch = OverloadWatch()
    for report in 1 ... 100 {
      let isDue = watch.record(
        xrunCount: 1, mean: 0.01, maximum: report == 1 ? 40 : 0.02, at: Double(report) / 10)
      guard isDue else { continue }
      let isReported = watch.conclude(periodFrames: 64, costs, threads)
      #expect(!isReported && watch.advice(at: Double(report) / 10) == nil)
      return
    }
    Issue.record("The measurement did not end.")
  }

  @Test func `an overload is reported once`() {
    var watch = OverloadWatch()
    var count = 0
    for report in 1 ... 1_000
    where watch.record(xrunCount: report, mean: 1.1, maximum: 1.2, at: Double(report) / 10) {
      if watch.conclude(periodFrames: 64, costs, threads) { count += 1 }
    }
    #expect(count == 1)
  }

  @Test func `an overload is shown until ten seconds after the last dropout`() {
    var watch = OverloadWatch()
    for report in 0 ... 100 {
      let isDue = watch.record(
        xrunCount: min(report, 50), mean: 1.1, maximum: 1.2, at: Double(report) / 10)
      if isDue { _ = watch.conclude(periodFrames: 64, costs, threads) }
    }
    #expect(watch.advice(at: 14)?.node == "hall")
    #expect(watch.advice(at: 15.1) == nil)
  }

  @Test func `threads are advised if more are possible and the longest path has room`() {
    let load = OverloadWatch.Load(mean: 1.1, maximum: 1.3, periodFrames: 64)
    func threads(_ limit: Int, _ path: Double) -> Int? {
      OverloadWatch.holdingThreads(load, .init(limit: limit, processors: 4, longestPath: path))
    }
    #expect(threads(1, 0.5) == 2)
    #expect(threads(2, 0.5) == 3)
    #expect(threads(1, 0.9) == nil)
    #expect(threads(4, 0.5) == nil)
    #expect(
      OverloadWatch.holdingThreads(
        .init(mean: 9, maximum: 9, periodFrames: 64),
        .init(limit: 1, processors: 4, longestPath: 0.1)) == nil)
  }

  @Test func `bypassing the costliest node is advised only if the rest has room`() {
    func isEnough(_ mean: Double, _ worst: Double) -> Bool {
      OverloadWatch.advice(
        .init(mean: mean, maximum: worst, periodFrames: 64), costs[1], threads
      ).isBypassEnough
    }
    #expect(isEnough(1.08, 1.3))
    #expect(!isEnough(1.6, 1.7))
    #expect(isEnough(1.08, 30))
    #expect(!isEnough(0.9, 3))
  }

  @Test func `a load is measured over two seconds, with any number of reports`() {
    for reportsPerSecond in [1, 10, 200] {
      var watch = OverloadWatch()
      let due = (0 ... 10 * reportsPerSecond).first {
        watch.record(
          xrunCount: $0 + 1, mean: 1.1, maximum: 1.2, at: Double($0) / Double(reportsPerSecond))
      }
      #expect(due == 2 * reportsPerSecond)
    }
  }

  @Test func `the load of a bypassed faulty node is not reported`() {
    var watch = OverloadWatch()
    var (isDue, xrunCount) = (false, 0)
    // Every two seconds there is a dropout, until the guard has found the node half a second later.
    for report in 0 ..< 100 {
      let isLate = report % 20 <= 5
      if report % 20 == 5 { watch.discard() }
      if isLate { xrunCount += 1 }
      isDue =
        watch.record(
          xrunCount: xrunCount, mean: isLate ? 0.9 : 0.1, maximum: isLate ? 3 : 0.1,
          at: Double(report) / 10) || isDue
    }
    #expect(!isDue)
  }
}
