// ServiceTests.swift: `outboard run --service` under a simulated manager. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A service` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  @Test func `without its card is ready, keeps running, and ends cleanly`() throws {
    let manager = try ServiceManagerSocket()
    let running = try Program.start(
      [
        Program.url.path, "run", "outboard.oscillator", "--in", "none", "--out", "hw:NoSuchCard",
        "--service",
      ], in: scratch,
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
    let ready = try #require(manager.messages(until: "READY=1\nSTATUS="))
    #expect(ready.last?.hasSuffix("; hw:NoSuchCard is missing") == true, "\(ready)")
    for _ in 1 ... 3 { #expect(manager.messages(until: "WATCHDOG=1") != nil) }
    kill(running.process.processIdentifier, SIGTERM)
    #expect(manager.messages(until: "STOPPING=1") != nil)
    let result = try running.finish()
    #expect(result.status == 0)
    #expect(result.text == "")
    let lines = result.error.split(separator: "\n")
    #expect(lines.contains("<6>out  hw:NoSuchCard, not connected"))
    #expect(lines.allSatisfy { $0.wholeMatch(of: /<[3-6]>.+/) != nil }, "\(result.error)")
    #expect(lines.last?.hasPrefix("<6>Stopped after ") == true)
  }

  @Test func `with a faulty request ends without restart, with the error in the journal`() throws {
    let result = try Program.run(["run", "xyzzyxyzzy", "--service"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error
        == "<3>outboard: No such plugin: \"xyzzyxyzzy\". Run `outboard list` to see all"
        + " plugins.\n")
  }

  @Test func `prints no JSON`() throws {
    let result = try Program.run(["run", "outboard.gain", "--service", "--json"], in: scratch)
    #expect(result.status == 2)
    #expect(result.text.contains("--service writes journal lines. Remove --json."))
  }
}

@Suite struct `The doctor` {
  private struct Report: Decodable {
    struct Check: Decodable {
      let id: String
      let state: String
    }
    let state: String
    let checks: [Check]
  }

  @Test func `fails only if a check fails`() throws {
    let scratch = try TemporaryDirectory()
    let text = try Program.run(["doctor"], in: scratch)
    let result = try Program.run(["doctor", "--json"], in: scratch)
    let report = try JSONDecoder().decode(Report.self, from: result.output)
    let isBad = report.checks.contains { $0.state == "error" }
    #expect(report.checks.count >= 18)
    #expect((report.state == "error") == isBad)
    #expect(result.status == (isBad ? 1 : 0))
    #expect(text.status == result.status)
    #expect(text.text.split(separator: "\n").contains { $0.hasPrefix("error ") } == isBad)
    #expect(text.error == "" && result.error == "")
  }
}
