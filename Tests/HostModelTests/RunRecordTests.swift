// RunRecordTests.swift: the stored records of sessions. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Testing

@Suite struct `Records of sessions` {
  private let directory = NSTemporaryDirectory() + "records-" + UUID().uuidString

  private var store: RunRecordStore { RunRecordStore(directory: directory) }

  private func record(_ time: Int64, process: Int32 = 7, xruns: Int = 0) -> RunRecord {
    var record = RunRecord(
      rig: "mic-chain", process: process, processStart: 1, startedAt: time, devices: ["hw:1"],
      sampleRateHz: 48_000, periodFrames: 64)
    record.xruns = xruns
    return record
  }

  @Test func `are none without a directory, and unreadable files are left out`() throws {
    #expect(store.all == [])
    #expect(store.write(record(1_000)))
    for (name, text) in [
      ("2000-1.json", "{"), ("3000-1.json", ""), ("4000-1.json", #"{"version": 99}"#),
      ("x.json", "{}"), ("5000-1.json.77", "{}"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }
    #expect(store.all == [record(1_000)])
  }

  @Test func `cannot be written where no directory can be created`() {
    #expect(!RunRecordStore(directory: "/proc/nowhere").write(record(1)))
    #expect(RunRecordStore(directory: "/proc/nowhere").all == [])
  }

  @Test func `survive storage, are replaced as a whole and are sorted by time`() {
    var full = record(2_000, xruns: 3)
    full.end = .fault
    full.reason = "echo crashed."
    full.costliest = .init(node: "hall", plugin: "outboard.reverb", mean: 0.7)
    full.faults = [.init(node: "hall", plugin: "outboard.reverb", kind: "nan", count: 2)]
    full.overload = OverloadAdvice(
      mean: 1, maximum: 2, periodFrames: 64, node: "hall", plugin: "outboard.reverb", share: 0.7,
      enoughPeriodFrames: nil, enoughThreads: 2, isBypassEnough: true)
    store.write(record(10_000))
    store.write(record(2_000))
    store.write(full)
    #expect(store.all == [record(10_000), full])
  }

  @Test func `of one moment and several processes do not replace each other`() {
    for process in 1 ... 4 { store.write(record(1_000, process: Int32(process))) }
    #expect(store.all.count == 4)
  }

  @Test func `are limited to the newest`() {
    for time in 1 ... 25 { store.write(record(Int64(time) * 100)) }
    store.prune()
    #expect(store.all.map(\.startedAt) == (16 ... 25).reversed().map { Int64($0) * 100 })
  }

  @Test func `name a process that runs, but not another one with its number`() throws {
    let process = getpid()
    var mine = record(1_000, process: process)
    #expect(!mine.isRunning)
    mine.processStart = try #require(ProcessStart.ticks(of: process))
    #expect(mine.isRunning)
    mine.end = .stopped
    #expect(!mine.isRunning)
    #expect(ProcessStart.ticks(of: -5) == nil)
  }
}
