// WatchTests.swift: `outboard watch` with a running session. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `A session is watched` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func outboard(_ arguments: String...) throws -> Program.Result {
    try Program.run(arguments, in: scratch)
  }

  private func watch(_ options: String, to file: String) throws -> Program.Running {
    try Program.start(
      ["/bin/sh", "-c", "exec $OUTBOARD watch \(options) > \(file)"], in: scratch)
  }

  private func text(_ file: String) -> String {
    (try? String(contentsOfFile: scratch.path(file), encoding: .utf8)) ?? ""
  }

  @Test func `from another terminal and by a program, until it ends`() throws {
    let session = try Program.start(
      [Program.url.path, "run", "outboard.oscillator", "--out", "null", "--duration", "200"],
      in: scratch)
    let deadline = Deadline()
    while session.process.isRunning, try outboard("status").text.isEmpty {
      try deadline.rest(0.1)
    }
    let person = try watch("", to: "person")
    let program = try watch("--json --events changed,level,stopped", to: "program")
    var level = -40
    // Clients receive changes after they have subscribed.
    while session.process.isRunning,
      !text("person").contains("Oscillator.level = ") || !text("program").contains("changed")
    {
      level = level == -40 ? -30 : -40
      #expect(try outboard("set", "Oscillator", "level=\(level)").status == 0)
    }
    session.process.terminate()
    #expect(try session.finish().status == 0)
    #expect(try person.finish().status == 0)
    #expect(try program.finish().status == 0)
    #expect(text("person").hasSuffix("stopped\n"))
    var kinds: Set<String> = []
    for line in text("program").split(separator: "\n") {
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      kinds.insert(try #require(event?["event"] as? String))
    }
    #expect(kinds.isSuperset(of: ["changed", "stopped"]))
    #expect(kinds.isSubset(of: ["changed", "level", "stopped"]))
  }

  @Test func `by kinds of events that exist`() throws {
    let result = try outboard("watch", "--events", "changed,levels")
    #expect(result.status == 2)
    #expect(result.error.contains("\"levels\" is not a kind of event. Use started, changed,"))
    #expect(try outboard("watch").status == 4)
  }
}
