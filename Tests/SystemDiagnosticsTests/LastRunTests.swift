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
    #expect(found.advice == "A period of 128 frames should be enough (--period 128).")
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

  @Test func `after a restart names the plugin that crashed`() throws {
    var crashed = record
    (crashed.end, crashed.reason) = (.restarted, "Crunch crashed at crunch.c:29.")
    var other = crashed
    other.process = 8
    let found = try #require(
      LastRunCheck.check(record, after: [crashed, other], isRunning: true, start: "now"))
    #expect(found.state == .warning)
    #expect(
      found.found.contains("Before, Crunch crashed at crunch.c:29. The session restarted."))
    #expect(found.advice?.hasPrefix("outboard faults lists plugins that crashed") == true)
    #expect(
      LastRunCheck.check(record, after: [other], isRunning: true, start: "now")?.state == .ok)
  }

  @Test func `with a bypassed overloaded node names it first`() throws {
    var late = record
    (late.xruns, late.worstLoad) = (3, 1.5)
    late.costliest = .init(node: "gain", plugin: "outboard.gain", mean: 0.01)
    late.faults = [.init(node: "magic", plugin: "urn:magic", kind: "overload", count: 2)]
    let found = try #require(check(late))
    #expect(
      found.found.contains(
        "magic (urn:magic) was bypassed because it was overloaded, 2 times. 3 xruns"))
    #expect(!found.found.contains("gain"))
    #expect(
      found.advice
        == "Lower the cost of magic by its settings, replace it, or try --period 128, which helps if"
        + " the cost is per block. --no-overload-protection keeps it, with dropouts.")
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
