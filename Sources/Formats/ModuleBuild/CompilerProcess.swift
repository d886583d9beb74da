// CompilerProcess.swift: a compiler process. SPDX-License-Identifier: MIT

internal import Dispatch
internal import Glibc
internal import Processes

/// Receives the start and end of compilers, so that cancelled ones can be ended; on any thread.
package struct CompilerCancellation: Sendable {
  /// A process has started or is about to end.
  ///
  /// The ID is an argument of `kill`: negative for a process group.
  let begins, ends: @Sendable (Int32) -> Void

  /// Creates a watch from two functions.
  package init(
    begins: @escaping @Sendable (Int32) -> Void, ends: @escaping @Sendable (Int32) -> Void
  ) {
    (self.begins, self.ends) = (begins, ends)
  }
}

/// A running compiler that leads a process group.
struct CompilerProcess {
  /// The timeout of a compiler; templates take long.
  static let timeoutSeconds = 120
  /// The maximum length of messages; longer ones repeat.
  private static let longestMessageBytes = 20_000

  private let process: pid_t
  /// The read end of the pipe for both outputs.
  private let messages: Int32
  private let watch: CompilerCancellation?

  /// The process group as an argument of `kill`; it includes the driver's compilers and linkers.
  private var group: Int32 { -process }

  /// Starts a program from `PATH`.
  ///
  /// - Parameters:
  ///   - program: a path, or a command with leading arguments, as make takes `CXX="ccache g++"`.
  ///   - arguments: the arguments.
  ///   - watch: receives the process group when it begins and ends.
  /// - Throws: the system's error, unless the program does not exist.
  init(_ program: String, _ arguments: [String], watch: CompilerCancellation? = nil) throws {
    self.watch = watch
    let isPath = unsafe program.contains("/") && access(program, X_OK) == 0
    let words = isPath ? [program] : program.split(separator: " ").map(String.init)
    let pipe = try Pipe()
    defer { close(pipe.writeEnd) }
    var spawn = ProcessSpawn(words + arguments)
    // Messages are read by people, but colours are useful only on a terminal.
    spawn.environment = ["TERM": "dumb"]
    (spawn.output, spawn.errors, spawn.leadsGroup) = (pipe.writeEnd, pipe.writeEnd, true)
    messages = pipe.readEnd
    do {
      process = try spawn.start()
    } catch {
      close(pipe.readEnd)
      guard error.code == ENOENT else { throw error }
      // `wait` then reports that the program does not exist.
      process = 0
      return
    }
    ProcessGroups.add(process)
    watch?.begins(-process)
  }

  /// The result of a compiler.
  enum Exit: Equatable {
    case done(messages: String)
    case refused(messages: String)
    case noProgram
    case timedOut
  }

  /// Waits for the end of the compiler and its processes.
  func wait() -> Exit {
    guard process > 0 else { return .noProgram }
    // The compiler's processes also keep the pipe open.
    let overdue = DispatchWorkItem { [group] in kill(group, SIGTERM) }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .seconds(Self.timeoutSeconds), execute: overdue)
    let text = String(
      decoding: DescriptorIO.readAll(messages, limit: Self.longestMessageBytes), as: UTF8.self)
    close(messages)
    watch?.ends(group)
    ProcessGroups.remove(process)
    let status = ProcessSpawn.wait(for: process)
    overdue.cancel()
    let signal = status & 0x7f
    if signal == SIGTERM { return .timedOut }
    let exitStatus = (status >> 8) & 0xff
    // The compiler did not find a program that it runs.
    if signal == 0, exitStatus == 127 { return .noProgram }
    return signal == 0 && exitStatus == 0 ? .done(messages: text) : .refused(messages: text)
  }
}
