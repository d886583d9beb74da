// DebuggerTests.swift: programs that wait for a debugger. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `A program that waits for a debugger` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func start() throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "info", "outboard.gain", "--wait-for-debugger"], in: scratch)
    try wait(until: "it waits", of: running) { running.errorText.contains("gdb -p") }
    #expect(running.errorText.contains("gdb -p \(running.process.processIdentifier)."))
    return running
  }

  @Test func `continues with SIGCONT`() throws {
    let running = try start()
    kill(running.process.processIdentifier, SIGCONT)
    let result = try running.finish()
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("Continuing without a debugger."))
    #expect(result.text.contains("outboard.gain"))
  }

  @Test func `can be interrupted`() throws {
    let running = try start()
    kill(running.process.processIdentifier, SIGINT)
    #expect(try running.finish().status == 128 + SIGINT)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gdb")))
  func `continues when one is attached`() throws {
    let running = try start()
    let debugger = try Program.shell(
      "gdb -nx -q -batch -p \(running.process.processIdentifier) -ex continue < /dev/null",
      in: scratch)
    // A container can forbid debuggers.
    guard !debugger.error.contains("Operation not permitted") else {
      kill(running.process.processIdentifier, SIGKILL)
      _ = try running.finish()
      return
    }
    let result = try running.finish()
    #expect(result.status == 0, "\(result.error) \(debugger.error)")
    #expect(result.error.contains("A debugger is attached."), "\(result.error)")
  }
}
