// ReloadTests.swift: SIGHUP, which reloads the rig file. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `A run that gets SIGHUP` {
  private struct Run: Decodable {
    struct Node: Decodable {
      let name: String
      let values: [String: Double]
    }
    let process: Int32
    let nodes: [Node]
  }

  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func write(gain: Int) throws {
    try scratch.write(
      """
      outboard: 1
      input: {device: dummy, channels: 2}
      output: {device: dummy, channels: 2}
      nodes: {level: {plugin: outboard.gain, parameters: {gain: \(gain)}}}
      connections: [in -> level -> out]
      """, to: "rig.yaml")
  }

  private func runs() throws -> [Run] {
    try JSONDecoder().decode(
      [Run].self, from: Program.run(["status", "--json"], in: scratch).output)
  }

  /// Waits until the session accepts requests, and until its reply is correct.
  private func wait(
    _ running: Program.Running, until isRight: (Run) throws -> Bool = { _ in true }
  ) throws -> Run {
    let deadline = Deadline()
    while running.process.isRunning {
      if let run = try runs().first, try isRight(run) { return run }
      try deadline.rest(0.02)
    }
    let error = try running.finish().error
    return try #require(nil, "it ended: \(error)")
  }

  @Test(arguments: [[], ["--service"]])
  func `applies the rig file's new content`(options: [String]) throws {
    try write(gain: -6)
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml"] + options, in: scratch)
    let run = try wait(running)
    #expect(run.nodes.first?.values["gain"] == -6)
    try write(gain: -12)
    kill(run.process, SIGHUP)
    _ = try wait(running) { $0.nodes.first?.values["gain"] == -12 }
    // If the new file has an error, the old rig stays active.
    try scratch.write("outboard: 1\nnodes: [", to: "rig.yaml")
    kill(run.process, SIGHUP)
    try write(gain: -3)
    kill(run.process, SIGHUP)
    _ = try wait(running) { $0.nodes.first?.values["gain"] == -3 }
    kill(run.process, SIGTERM)
    let result = try running.finish()
    #expect(result.status == 0)
    // For the journal, an expected change is a notice.
    let priority = options.isEmpty ? "" : "<5>"
    #expect(result.error.contains("\(priority)Reloaded rig.yaml."), "\(result.error)")
  }

  @Test func `reports a missing file and keeps running`() throws {
    let running = try Program.start(
      [Program.url.path, "run", "outboard.gain", "--in", "dummy", "--out", "dummy", "--service"],
      in: scratch)
    let run = try wait(running)
    kill(run.process, SIGHUP)
    let message = "SIGHUP reloads the rig file, but this session was started without one."
    func statement() throws -> String {
      let names = try scratch.files().filter { $0.hasSuffix(".err") }
      return try names.map { String(decoding: try scratch.data($0), as: UTF8.self) }.joined()
    }
    let deadline = Deadline()
    while running.process.isRunning, try !statement().contains(message) {
      try deadline.rest(0.02)
    }
    #expect(try wait(running).process == run.process)
    kill(run.process, SIGTERM)
    let result = try running.finish()
    #expect(result.status == 0)
    #expect(result.error.contains(message))
  }

  @Test func `ends when its terminal closes`() throws {
    try write(gain: -6)
    // A separate terminal, which is closed with the program.
    let terminal = try Program.start(
      ["/usr/bin/script", "-qec", "\(Program.url.path) run --rig rig.yaml", "/dev/null"],
      in: scratch)
    let run = try wait(terminal)
    kill(terminal.process.processIdentifier, SIGKILL)
    _ = try terminal.finish()
    let deadline = Deadline()
    while kill(run.process, 0) == 0 { try deadline.rest(0.02) }
    #expect(try runs().isEmpty)
  }
}
