// SlowEditTests.swift: loading rigs with slow plugins into a session. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `A rig that loads slowly` {
  private let scratch: TemporaryDirectory
  private let bundles: BundleDirectory
  private static let hanging =
    "nodes: {tone: {plugin: outboard.oscillator},"
    + " stuck: {plugin: \"urn:outboard:test:hang_in_instantiate\"}}"

  init() throws {
    bundles = try BundleDirectory(["hang_in_instantiate"])
    scratch = try TemporaryDirectory(lv2: bundles.path)
    try write("nodes: {tone: {plugin: outboard.oscillator, parameters: {level: -20}}}", "tone")
    try write(
      Self.hanging,
      "hanging", connections: "[\"tone -> out\", \"tone -> stuck -> out\"]")
    try write(
      "nodes: {other: {plugin: outboard.oscillator}}", "other", connections: "[other -> out]")
  }

  private func write(
    _ nodes: String, _ name: String, connections: String = "[tone -> out]"
  ) throws {
    try scratch.write(
      "outboard: 1\noutput: \"null\"\n\(nodes)\nconnections: \(connections)\n", to: "\(name).yaml")
  }

  private func outboard(_ arguments: String...) throws -> Program.Result {
    try Program.run(arguments, in: scratch)
  }

  private func start(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "tone.yaml", "--duration", "200"] + arguments, in: scratch,
      environment: environment)
    let deadline = Deadline()
    while try outboard("status").text.isEmpty { try deadline.rest(0.1) }
    return running
  }

  private func begin(_ arguments: String...) throws -> Program.Running {
    try Program.start([Program.url.path] + arguments, in: scratch)
  }

  /// A rig `NAME.yaml` of a tone and a source whose compiler runs `script` first; returns that compiler.
  private func writeSlowSource(_ name: String, _ script: String) throws -> String {
    try scratch.write(
      """
      #!/bin/sh
      case $* in *slow.c*) \(script);; esac
      exec cc "$@"
      """,
      to: "slowcc")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: scratch.path("slowcc"))
    try scratch.write(
      """
      // outboard: inputs: 1, outputs: 1
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = in[0][i];
      }
      """, to: "slow.c")
    try write(
      "nodes: {tone: {plugin: outboard.oscillator}, slow: {plugin: ./slow.c}}", name,
      connections: "[\"tone:1 -> slow -> out\"]")
    return scratch.path("slowcc")
  }

  /// The process that tests a plugin for a run, if there is one.
  private func trial(of running: Program.Running, for loading: Program.Running? = nil) throws
    -> pid_t
  {
    let run = running.process.processIdentifier
    let deadline = Deadline()
    while loading?.process.isRunning ?? true {
      let threads =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(run)/task")) ?? []
      for thread in threads {
        let path = "/proc/\(run)/task/\(thread)/children"
        let list = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        if let child = list.split(separator: " ").compactMap({ pid_t($0) }).first { return child }
      }
      try deadline.rest(0.02)
    }
    throw NoTrial()
  }

  private struct NoTrial: Error {}

  private struct Load: Decodable {
    let name: String
    let peak: Double?
  }

  private func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

  private func end(_ running: Program.Running) throws -> Program.Result {
    running.process.terminate()
    return try running.finish()
  }

  @Test func `blocks nothing, and is cancelled by undo`() throws {
    let manager = try ServiceManagerSocket()
    let running = try start(
      "--service",
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
    let loading = try begin("load", "hanging.yaml")
    let child = try trial(of: running, for: loading)
    let set = try outboard("set", "tone", "frequency=500")
    #expect(set.status == 0, "\(set.error)")
    let top = try outboard("top", "--json", "--count", "1", "--interval", "0.3")
    let loads = try JSONDecoder().decode([Load].self, from: top.output)
    // Audio continues during the load.
    #expect(loads.count == 1 && abs((loads[0].peak ?? -99) + 20) < 0.2, "\(top.text) \(top.error)")
    manager.forget()
    for _ in 1 ... 3 { #expect(manager.messages(until: "WATCHDOG=1") != nil) }
    #expect(loading.process.isRunning && isAlive(child))
    let undo = try outboard("undo")
    #expect(undo.status == 0)
    #expect(
      undo.error.hasSuffix("/hanging.yaml was cancelled.\n"))
    let loaded = try loading.finish()
    #expect(loaded.status == 1)
    #expect(
      loaded.error.hasSuffix("hanging.yaml was not loaded: it was cancelled before it was ready.\n")
    )
    let deadline = Deadline()
    while isAlive(child) { try deadline.rest(0.02) }
    #expect(try end(running).status == 0)
  }

  @Test func `is replaced by a later load`() throws {
    let running = try start()
    let loading = try begin("load", "hanging.yaml")
    let child = try trial(of: running, for: loading)
    let other = try outboard("load", "other.yaml")
    #expect(other.status == 0, "\(other.error)")
    #expect(try outboard("status").text.contains("other"))
    let loaded = try loading.finish()
    #expect(loaded.status == 1)
    #expect(loaded.error.hasSuffix("other.yaml was requested before it was ready.\n"))
    let deadline = Deadline()
    while isAlive(child) { try deadline.rest(0.02) }
    #expect(try end(running).status == 0)
  }

  @Test func `ends its compiler and the compiler's children when another load arrives`() throws {
    let compiler = try writeSlowSource("waiting", "sleep 900 & echo $$ $! > begun; wait")
    let running = try start(environment: ["CC": compiler])
    let loading = try begin("load", "waiting.yaml")
    var processes: [pid_t] = []
    let deadline = Deadline()
    while processes.count < 2, loading.process.isRunning {
      try deadline.rest(0.02)
      let text = (try? String(contentsOfFile: scratch.path("begun"), encoding: .utf8)) ?? ""
      processes = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    }
    #expect(processes.count == 2 && processes.allSatisfy(isAlive))
    #expect(try outboard("load", "other.yaml").status == 0)
    #expect(try loading.finish().status == 1)
    let deadline2 = Deadline()
    while processes.contains(where: isAtWork) { try deadline2.rest(0.02) }
    #expect(try end(running).status == 0)
  }

  @Test func `is read again when it is saved during its load`() throws {
    let compiler = try writeSlowSource(
      "tone", "touch begun; while [ ! -e changed ]; do sleep 0.05; done")
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "tone.yaml", "--watch", "--duration", "200"], in: scratch,
      environment: ["CC": compiler])
    func isThere(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: scratch.path(name))
    }
    let deadline = Deadline()
    while !isThere("begun"), running.process.isRunning { try deadline.rest(0.02) }
    try write("nodes: {tone: {plugin: outboard.oscillator}, late: {plugin: outboard.gain}}", "tone")
    try scratch.write("", to: "changed")
    let deadline2 = Deadline()
    while running.process.isRunning, try !outboard("status").text.contains("late") {
      try deadline2.rest(0.1)
    }
    let ended = try end(running)
    #expect(ended.status == 0)
    #expect(ended.error.contains("Reloaded tone.yaml."), "\(ended.error)")
  }

  @Test func `ends its processes when the run ends`() throws {
    let running = try start("--watch")
    try write(
      Self.hanging,
      "tone", connections: "[\"tone -> stuck -> out\"]")
    let child = try trial(of: running)
    #expect(try end(running).status == 0)
    let deadline = Deadline()
    while isAlive(child) { try deadline.rest(0.02) }
  }

  @Test func `is refused with a message after its time limit, and changes nothing`() throws {
    let running = try start()
    let loaded = try outboard("load", "hanging.yaml")
    #expect(loaded.status == 2)
    #expect(
      loaded.error.contains(
        "Hang in instantiate timed out after 20 s while it was created"),
      "\(loaded.error)")
    #expect(try outboard("status").text.contains("tone"))
    #expect(try outboard("undo").error.contains("Nothing to undo"))
    #expect(try end(running).status == 0)
  }
}
