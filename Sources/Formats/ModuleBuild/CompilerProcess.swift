// CompilerProcess.swift: one run of a compiler. SPDX-License-Identifier: MIT

internal import Dispatch
internal import Glibc
internal import Processes

/// Who is told of compilers, to end those that nobody waits for any longer; on any thread.
package struct CompilerCancellation: Sendable {
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

/// A compiler that runs as a process, in a process group that it leads.
struct CompilerProcess {
  /// The longest that a compiler may take; templates take long.
  static let patienceSeconds = 120
  /// Longer messages repeat themselves.
  private static let longestMessageBytes = 20_000

  private let process: pid_t
  /// The read end of the pipe that both of its outputs go to.
  private let messages: Int32
  private let watch: CompilerCancellation?

  /// The process group, as `kill` takes it: a driver's own compilers and linkers belong to it.
  private var group: Int32 { -process }

  /// Starts a program, found in `PATH` like any command.
  ///
  /// - Parameters:
  ///   - program: a path, or a command with leading arguments, as make takes `CXX="ccache g++"`.
  ///   - arguments: what follows the command.
  ///   - watch: receives the process group when it begins and ends.
  /// - Throws: what the system has against starting it, other than that it does not exist.
  init(_ program: String, _ arguments: [String], watch: CompilerCancellation? = nil) throws {
    self.watch = watch
    let isPath = program.contains("/") && access(program, X_OK) == 0
    let words = isPath ? [program] : program.split(separator: " ").map(String.init)
    let pipe = try Pipe()
    defer { close(pipe.writeEnd) }
    var spawn = ProcessSpawn(words + arguments)
    // Messages are read by people, whom colours help only on a terminal.
    spawn.environment = ["TERM": "dumb"]
    (spawn.output, spawn.errors, spawn.leadsGroup) = (pipe.writeEnd, pipe.writeEnd, true)
    messages = pipe.readEnd
    do {
      process = try spawn.start()
    } catch {
      close(pipe.readEnd)
      guard error.code == ENOENT else { throw error }
      // `wait` returns that there is no such program.
      process = 0
      return
    }
    watch?.begins(-process)
  }

  /// How the compiler ended.
  enum Exit: Equatable {
    case done(messages: String)
    case refused(messages: String)
    case noProgram
    case endless
  }

  /// Waits for the end of the compiler, and of everything that it started.
  func wait() -> Exit {
    guard process > 0 else { return .noProgram }
    // What the compiler has started holds the pipe open as well.
    let overdue = DispatchWorkItem { [group] in kill(group, SIGTERM) }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .seconds(Self.patienceSeconds), execute: overdue)
    let text = String(
      decoding: DescriptorIO.readAll(messages, limit: Self.longestMessageBytes), as: UTF8.self)
    close(messages)
    watch?.ends(group)
    let status = ProcessSpawn.wait(for: process)
    overdue.cancel()
    let signal = status & 0x7f
    if signal == SIGTERM { return .endless }
    let exitStatus = (status >> 8) & 0xff
    // A program that the compiler runs and does not find.
    if signal == 0, exitStatus == 127 { return .noProgram }
    return signal == 0 && exitStatus == 0 ? .done(messages: text) : .refused(messages: text)
  }
}
