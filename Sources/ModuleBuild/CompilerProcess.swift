// CompilerProcess.swift: one run of a compiler. SPDX-License-Identifier: MIT

import Foundation

/// Who is told of compilers, to end those that nobody waits for any longer; on any thread.
package struct CompilerWatch: Sendable {
  /// A process has begun, or is about to end: what `kill` takes, which is negative for one with all that it
  /// has started.
  let begins, ends: @Sendable (Int32) -> Void

  /// Two that are told.
  package init(
    begins: @escaping @Sendable (Int32) -> Void, ends: @escaping @Sendable (Int32) -> Void
  ) {
    (self.begins, self.ends) = (begins, ends)
  }
}

/// A compiler at work in a process of its own.
struct CompilerProcess {
  /// Templates may take long, but nobody waits for more than this.
  static let patienceSeconds = 120
  /// More messages than this are the same one again and again.
  private static let longestMessageBytes = 20_000

  private let process = Process()
  private let messages = Pipe()
  private let program: String
  private let watch: CompilerWatch?
  /// What `kill` takes.
  private let number: Int32

  /// Starts a program, found like any command.
  ///
  /// - Throws: what the system has against starting it.
  init(_ program: String, _ arguments: [String], watch: CompilerWatch? = nil) throws {
    self.program = program
    self.watch = watch
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // `CXX="ccache g++"`: words, as make takes them.
    let isPath = program.contains("/") && FileManager.default.isExecutableFile(atPath: program)
    let words = isPath ? [program] : program.split(separator: " ").map(String.init)
    process.arguments = words + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      // The messages are read by people, whom colours help only on a terminal.
      ["TERM": "dumb"]) { $1 }
    process.standardError = messages
    process.standardOutput = messages
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // A driver's own compilers and linkers are in its group, where it leads one.
    let leader = process.processIdentifier
    number = getpgid(leader) == leader ? -leader : leader
    watch?.begins(number)
  }

  /// How it ended.
  enum End: Equatable {
    case done(messages: String)
    case refused(messages: String)
    case noProgram
    case endless
  }

  /// Waits for the end.
  func wait() -> End {
    // What it has started holds the pipe open as well.
    let overdue = DispatchWorkItem { [number] in kill(number, SIGTERM) }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .seconds(Self.patienceSeconds), execute: overdue)
    let data = messages.fileHandleForReading.readDataToEndOfFile()
    watch?.ends(number)
    process.waitUntilExit()
    overdue.cancel()
    let text = String(decoding: data.prefix(Self.longestMessageBytes), as: UTF8.self)
    if process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGTERM {
      return .endless
    }
    // `env` answers so where there is no such program.
    if process.terminationStatus == 127 { return .noProgram }
    return process.terminationStatus == 0 ? .done(messages: text) : .refused(messages: text)
  }
}
