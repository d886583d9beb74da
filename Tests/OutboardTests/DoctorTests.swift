// DoctorTests.swift: what `outboard doctor` knows about earlier sessions. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `The records of sessions` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private static let devices = ["--in", "dummy", "--out", "dummy"]

  /// The sessions in the output of `doctor --json`, the newest first.
  private func sessions() throws -> [[String: Any]] {
    let result = try Program.run(["doctor", "--json"], in: scratch)
    let report = try #require(
      JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.error)")
    return try #require(report["sessions"] as? [[String: Any]])
  }

  private func start(_ arguments: String...) throws -> Program.Running {
    try Program.start([Program.url.path, "run"] + arguments + Self.devices, in: scratch)
  }

  private func wait(until what: String, _ isTrue: () throws -> Bool) throws {
    let deadline = Deadline()
    while try !isTrue() { try deadline.rest(0.1) }
  }

  @Test func `say how a session ended that was stopped`() throws {
    #expect(try sessions().isEmpty)
    let result = try start("outboard.gain", "--duration", "0.3").finish()
    #expect(result.status == 0, "\(result.error)")
    let session = try #require(try sessions().first)
    #expect(session["end"] as? String == "stopped")
    #expect(session["devices"] as? [String] == ["dummy"])
    #expect(session["seconds"] as? Double ?? 0 >= 0.3)
    let text = try Program.run(["doctor"], in: scratch).text
    #expect(text.contains("Last session"), "\(text)")
  }

  @Test func `are of several sessions at once, also if one is killed`() throws {
    let runs = try [
      start("outboard.gain", "--name", "one"), start("outboard.gain", "--name", "two"),
    ]
    try wait(until: "both are recorded") { try sessions().count == 2 }
    #expect(try sessions().allSatisfy { $0["end"] == nil })
    #expect(try Program.run(["doctor"], in: scratch).text.contains("It is running."))
    for run in runs { kill(run.process.processIdentifier, SIGKILL) }
    for run in runs { _ = try run.finish() }
    #expect(try sessions().count == 2)
    let text = try Program.run(["doctor"], in: scratch).text
    #expect(text.contains("It did not end normally."), "\(text)")
  }

  @Test func `name the plugin that ended a session`() throws {
    try scratch.write(
      """
      // outboard: inputs: 2, outputs: 2
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        static int count;
        if (++count > 500) *(volatile int *)0 = 1;
      }
      """, to: "ill.c")
    let result = try start("./ill.c", "--isolate", "off", "--no-restart", "--period", "64").finish()
    #expect(result.status != 0)
    let session = try #require(try sessions().first)
    #expect(session["end"] as? String == "fault", "\(session)")
    #expect((session["reason"] as? String)?.contains("ill.c") == true, "\(session)")
  }

  @Test func `do not keep a session from running without a state directory`() throws {
    let result = try Program.start(
      [Program.url.path, "run", "outboard.gain", "--duration", "0.2"] + Self.devices, in: scratch,
      environment: ["XDG_STATE_HOME": "/proc/nowhere"]
    ).finish()
    #expect(result.status == 0, "\(result.error)")
  }
}
