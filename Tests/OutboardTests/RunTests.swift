// RunTests.swift: `outboard run` without a sound card. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `A run` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func run(_ arguments: String...) throws -> Program.Result {
    try Program.run(["run"] + arguments, in: scratch)
  }

  private func events(_ result: Program.Result) throws -> [[String: Any]] {
    try result.text.split(separator: "\n").map { line in
      try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test func `may end as late as its periods require`() throws {
    // The driver waits for the end of a period of 13 s.
    let result = try run(
      "outboard.gain", "--in", "dummy", "--out", "dummy", "--rate", "5000", "--period", "65536",
      "--duration", "0.1")
    #expect(result.status == 0, "\(result.error)")
  }

  @Test func `reports events as lines of JSON`() throws {
    let result = try run(
      "outboard.oscillator", "level=-6", "--out", "null", "--duration", "1.5", "--events", "json")
    #expect(result.status == 0, "\(result.error)")
    let events = try events(result)
    #expect(events.first?["event"] as? String == "started")
    #expect(events.first?["sampleRateHz"] as? Double == 48_000)
    let devices = events.first?["devices"] as? [[String: Any]]
    #expect(devices?.map { $0["device"] as? String } == ["null"])
    #expect(devices?.map { $0["direction"] as? String } == ["playback"])
    let level = events.first { $0["event"] as? String == "level" }
    let peaks = try #require(level?["outputPeakDBFS"] as? [Double])
    #expect(peaks.count == 2 && peaks.allSatisfy { abs($0 + 6) < 0.2 }, "\(peaks)")
    #expect(events.last?["event"] as? String == "stopped")
    #expect(events.last?["xruns"] as? Int == 0)
  }

  @Test func `reports what a plugin wrote to its log, as text and as JSON, to the end`() throws {
    let bundles = try BundleDirectory(["talker"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let run = [
      "run", "outboard.oscillator", "urn:outboard:test:talker", "say=2", "--out", "dummy",
      "--duration", "0.5",
    ]
    let reported = try Program.run(run + ["--events", "json"], in: scratch)
    #expect(reported.status == 0, "\(reported.error)")
    let notices = try events(reported).compactMap { $0["notice"] as? String }
    let shown = try Program.run(run, in: scratch).error.split(separator: "\n")
    for messages in [notices, shown.map { String($0.trimmingPrefix("outboard: ")) }] {
      for message in ["Talker: warning: It is set to 2.", "Talker: error: Again."] {
        #expect(messages.contains(message), "\(messages)")
      }
      #expect(messages.contains { $0.hasSuffix(" more log messages suppressed.") })
    }
    withExtendedLifetime(bundles) {}
  }

  @Test func `uses the dummy clock for all cards if one direction is set to it`() throws {
    try scratch.write(
      """
      outboard: 1
      input: [{device: "hw:NoSuchCard", channels: 2}, {device: "hw:NorThis", channels: 1}]
      output: hw:NoSuchCard
      connections: [in:3 -> out:1]
      """, to: "rig.yaml")
    let result = try run(
      "--rig", "rig.yaml", "--out", "dummy", "--duration", "0.1", "--events", "json")
    #expect(result.status == 0, "\(result.error)")
    let devices = try events(result).first?["devices"] as? [[String: Any]]
    #expect(devices?.map { $0["device"] as? String } == ["dummy", "dummy", "dummy"])
    #expect(try run("outboard.gain", "--out", "dummy", "--duration", "0.1").status == 0)
    let both = try run("outboard.gain", "--in", "hw:NoSuchCard", "--out", "dummy")
    #expect(both.status == 2)
    #expect(
      both.error
        == "outboard: dummy and hw:NoSuchCard cannot be combined: dummy replaces all sound cards. "
        + "Use"
        + " sound cards for both directions, or dummy for both.\n")
    try scratch.write(
      "outboard: 1\ninput: hw:NoSuchCard\noutput: dummy\nconnections: [in -> out]\n",
      to: "mixed.yaml")
    let check = try Program.run(["check", "mixed.yaml"], in: scratch)
    #expect(check.status == 2)
    #expect(
      check.error.hasPrefix(
        "outboard: mixed.yaml: hw:NoSuchCard and dummy cannot be combined:")
        || check.error.hasPrefix(
          "outboard: mixed.yaml: dummy and hw:NoSuchCard cannot be combined:"),
      "\(check.error)")
  }

  @Test func `reports a missing device and runs without it`() throws {
    let result = try run(
      "outboard.oscillator", "--out", "hw:NoSuchCard", "--wait", "--duration", "1", "--events",
      "json")
    #expect(result.status == 0, "\(result.error)")
    let events = try events(result)
    let device = events.first { $0["event"] as? String == "device" }
    #expect(device?["device"] as? String == "hw:NoSuchCard")
    #expect(device?["state"] as? String == "missing")
    let reason = device?["reason"] as? String
    #expect(
      reason
        == "No sound card was found. Connect one, use `--in dummy --out dummy`, or process a file with"
        + " `outboard render`.")
  }

  @Test func `without a terminal reports a missing device in one line`() throws {
    let result = try run(
      "outboard.oscillator", "--out", "hw:NoSuchCard", "--wait", "--duration", "1")
    #expect(result.status == 0)
    #expect(
      result.error.contains(
        "outboard: No sound card was found. Connect one, use `--in dummy --out dummy`, or process a file"
          + " with `outboard render`.\n"),
      "\(result.error)")
  }

  @Test(arguments: [
    (["--events", "yaml"], "The value 'yaml' is invalid for '--events <format>'"),
    (["--events", "json", "--json"], "--json and --events both write to standard output"),
    (["--out", "hw:1,0:0"], "\"hw:1,0:0\" has no valid channels. Channels are numbered from 1"),
    (["--out", "hw:1,0:2,2"], "Channel 2 of the playback device hw:1,0 is listed twice"),
  ])
  func `is refused with contradictory flags`(flags: [String], message: String) throws {
    let result = try Program.run(["run", "outboard.oscillator"] + flags, in: scratch)
    #expect(result.status == 2)
    // Errors for programs are on standard output.
    let statement = result.error + result.text
    #expect(statement.contains(message), "\(statement)")
  }
}
