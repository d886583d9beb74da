// LastRunTests.swift: the check of the last session. SPDX-License-Identifier: MIT

import HostModel
import SystemDiagnostics
import Testing

@Suite struct `The last session` {
  private var record: RunRecord {
    var record = RunRecord(
      rig: "mic-chain", process: 7, processStart: 1, startedAt: 0, devices: ["hw:1"],
      sampleRateHz: 48_000, periodFrames: 64)
    record.seconds = 3_725
    record.meanLoad = 0.4
    record.worstLoad = 1.2
    record.end = .stopped
    return record
  }

  private func check(_ record: RunRecord?, isRunning: Bool = false) -> SystemCheck? {
    LastRunCheck.check(record, isRunning: isRunning, start: "2026-11-26 21:03")
  }

  @Test func `is not shown if there is none`() { #expect(check(nil) == nil) }

  @Test func `without xruns and faults is good`() throws {
    let found = try #require(check(record))
    #expect(found.state == .ok)
    #expect(
      found.found
        == "mic-chain on hw:1, 48000 Hz, period 64, from 2026-11-26 21:03 for 1 h 2 min. No xruns;"
        + " load 40.0 %, at worst 120.0 %.")
    var open = record
    open.end = nil
    #expect(check(open, isRunning: true)?.state == .ok)
    #expect(check(open, isRunning: true)?.found.hasSuffix("It is running.") == true)
  }

  @Test func `with an overload has the advice that was shown`() throws {
    var late = record
    late.xruns = 1
    late.lostSeconds = 0.0123
    late.costliest = .init(node: "hall", plugin: "outboard.reverb", mean: 0.7)
    late.overload = OverloadAdvice(
      mean: 0.4, maximum: 1.2, periodFrames: 64, node: "hall", plugin: "outboard.reverb",
      share: 0.7, enoughPeriodFrames: 128, enoughThreads: nil, isBypassEnough: false)
    let found = try #require(check(late))
    #expect(found.state == .warning)
    #expect(found.found.contains("1 xrun, 12.3 ms lost;"))
    #expect(found.found.contains("hall (outboard.reverb) used the most, 70.0 %."))
    #expect(found.advice == "A period of 128 frames is enough (--period 128).")
  }

  @Test func `with xruns that the plugins did not cause names the system`() throws {
    var late = record
    (late.xruns, late.worstLoad) = (2, 0.3)
    #expect(check(late)?.advice?.contains("did not cause the xruns") == true)
    late.worstLoad = 1.5
    #expect(check(late)?.advice?.contains("--period 128") == true)
  }

  @Test func `with faults names the plugins and how to validate them`() throws {
    var faulty = record
    faulty.faults = [
      .init(node: "a", plugin: "urn:x", kind: "nan", count: 1),
      .init(node: "b", plugin: "urn:x", kind: "worker", count: 3),
    ]
    let found = try #require(check(faulty))
    #expect(found.found.hasSuffix("a had 1 fault (nan). b had 3 faults (worker)."))
    #expect(found.commands == ["outboard validate urn:x"])
    // No command takes the identifier of a source.
    faulty.faults = [.init(node: "drive", plugin: "source.drive", kind: "worker", count: 3)]
    #expect(check(faulty)?.commands == [])
  }

  @Test func `with a node that was bypassed as too slow names it and what can help`() throws {
    var slow = record
    (slow.xruns, slow.worstLoad) = (6, 1.5)
    slow.costliest = .init(node: "hall", plugin: "outboard.reverb", mean: 0.009)
    slow.faults = [.init(node: "burn", plugin: "urn:x", kind: "overload", count: 3)]
    let found = try #require(check(slow))
    #expect(!found.found.contains("used the most"))
    #expect(found.found.hasSuffix("burn had 3 faults (overload)."))
    #expect(
      found.advice
        == "burn used too much of the period and was bypassed: try --period 128, or another plugin. A longer"
        + " period helps only if the cost is per block.")
    #expect(found.commands.isEmpty)
    slow.faults.append(.init(node: "b", plugin: "urn:y", kind: "nan", count: 1))
    #expect(check(slow)?.commands == ["outboard validate urn:y"])
    #expect(check(slow)?.advice?.hasSuffix("Validate faulty plugins, or replace them.") == true)
  }

  @Test func `that was killed, failed or crashed is not good`() throws {
    var ended = record
    ended.end = nil
    #expect(check(ended)?.advice?.contains("was killed") == true)
    (ended.end, ended.reason) = (.fault, "late.c (late) crashed.")
    #expect(check(ended)?.found.hasSuffix("late.c (late) crashed.") == true)
    ended.end = .restarted
    #expect(check(ended)?.found.hasSuffix("late.c (late) crashed. It restarted.") == true)
    (ended.end, ended.reason) = (.failed, nil)
    #expect(check(ended)?.state == .warning)
    #expect(check(ended)?.found.hasSuffix("A device failed.") == true)
  }
}
