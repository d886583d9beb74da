// Program.swift: the built program, started as a user would. SPDX-License-Identifier: MIT

import Foundation
import TestWaits

/// The program `outboard`: the one that `OUTBOARD` names, otherwise the one next to the test bundle.
///
/// `make test` names the release build, which renders several times as fast as the debug build.
enum Program {
  /// The result of a command.
  struct Result {
    /// The exit status; 128 and more if a signal ended it.
    let status: Int32
    let output: Data
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The program did not end within the time limit.
  struct TimeoutError: Error {
    let arguments: [String]
  }

  /// The build directory.
  ///
  /// From `/proc`, because Glibc hides `dladdr` from Swift: the file whose memory contains this code.
  static let directory: URL = {
    let address = UInt(bitPattern: #dsohandle)
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let line = maps.split(separator: "\n").first { line in
      let bounds = line.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) ?? 0 }
      return bounds.count == 2 && bounds[0] <= address && address < bounds[1]
    }
    guard let line, let slash = line.firstIndex(of: "/") else {
      preconditionFailure("the test bundle does not know where it is")
    }
    return URL(fileURLWithPath: String(line[slash...])).deletingLastPathComponent()
  }()

  /// The path of the program.
  static let url =
    ProcessInfo.processInfo.environment["OUTBOARD"].map { URL(fileURLWithPath: $0) }
    ?? directory.appending(path: "outboard")

  /// Runs it in a test directory, to its end.
  static func run(
    _ arguments: [String], in scratch: TemporaryDirectory, input: Data = Data(),
    environment: [String: String] = [:]
  ) throws -> Result {
    let running = try start(
      [url.path] + arguments, in: scratch, input: input, environment: environment)
    return try running.finish()
  }

  /// Runs a shell command, in which `$OUTBOARD` is the program.
  static func shell(
    _ line: String, in scratch: TemporaryDirectory, environment: [String: String] = [:]
  ) throws -> Result {
    try start(["/bin/sh", "-c", line], in: scratch, environment: environment).finish()
  }

  /// Starts the program and returns at once.
  static func start(
    _ command: [String], in scratch: TemporaryDirectory, input: Data = Data(),
    environment: [String: String] = [:]
  ) throws -> Running {
    let run = scratch.path("run-\(UUID().uuidString)")
    // Files instead of pipes, so that neither side ever waits for the other.
    for (suffix, data) in [("in", input), ("out", Data()), ("err", Data())] {
      try data.write(to: URL(fileURLWithPath: "\(run).\(suffix)"))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = scratch.directory
    process.environment = scratch.environment.merging(environment) { $1 }
    process.standardInput = FileHandle(forReadingAtPath: "\(run).in")
    process.standardOutput = FileHandle(forWritingAtPath: "\(run).out")
    process.standardError = FileHandle(forWritingAtPath: "\(run).err")
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    return Running(process: process, end: end, run: run, command: command)
  }

  /// The running program.
  struct Running {
    let process: Process
    fileprivate let end: DispatchSemaphore
    fileprivate let run: String
    fileprivate let command: [String]

    /// The output to standard error so far.
    var errorText: String {
      (try? String(contentsOfFile: "\(run).err", encoding: .utf8)) ?? ""
    }

    /// Waits for the end.
    func finish() throws -> Result {
      guard end.wait(timeout: .now() + patienceSeconds) == .success else {
        kill(process.processIdentifier, SIGKILL)
        throw TimeoutError(arguments: command)
      }
      let isSignal = process.terminationReason == .uncaughtSignal
      let result = Result(
        status: process.terminationStatus + (isSignal ? 128 : 0),
        output: try Data(contentsOf: URL(fileURLWithPath: "\(run).out")),
        // A busy machine adds lines about a trial that takes long.
        error: String(
          decoding: try Data(contentsOf: URL(fileURLWithPath: "\(run).err")), as: UTF8.self
        ).replacing(/outboard: [^\n]* is still being tested\.\n/, with: ""))
      for suffix in ["in", "out", "err"] {
        try FileManager.default.removeItem(atPath: "\(run).\(suffix)")
      }
      return result
    }
  }
}
