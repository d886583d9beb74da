// ScriptedMachine.swift: runs driver-check on a machine whose cards follow a script. SPDX-License-Identifier: MIT

import Foundation

/// A machine with sound cards in virtual time, which `Tests/ScriptedPCM` simulates.
///
/// A run is the same each time, and takes milliseconds for a second of stream.
struct ScriptedMachine {
  /// The script, one line for each card, event and call; see `Tests/ScriptedPCM/README.md`.
  var script: String
  /// Options of driver-check other than devices and time.
  var options: [String] = []
  var input: String? = "hw:Desk"
  var output: String? = "hw:Desk"
  var seconds = 3.0

  /// One card whose captured frames are all different and show the gain, and its events.
  init(_ lines: String..., card: String = "source=beacon", seconds: Double = 3) {
    script = (["card 0 id=Desk \(card)"] + lines).joined(separator: "\n") + "\n"
    self.seconds = seconds
  }

  /// Cards and events of any kind.
  init(
    script: [String], input: String?, output: String?, seconds: Double = 3, options: [String] = []
  ) {
    self.script = script.joined(separator: "\n") + "\n"
    self.options = options
    self.input = input
    self.output = output
    self.seconds = seconds
  }

  /// Runs it to its end.
  func run() throws -> Outcome {
    let base = Self.directory.appending(path: UUID().uuidString).path
    let paths = (script: base + ".script", report: base + ".json", output: base + ".out")
    try script.write(toFile: paths.script, atomically: true, encoding: .utf8)
    _ = FileManager.default.createFile(atPath: paths.output, contents: nil)
    defer {
      for path in [paths.script, paths.script + ".root", paths.report, paths.output] {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    let library = try Self.library.get()
    let process = Process()
    process.executableURL = try Self.driverCheck()
    process.arguments =
      ["run", "--seconds", "\(seconds)"] + (input.map { ["--in", $0] } ?? [])
      + (output.map { ["--out", $0] } ?? []) + options
    process.environment = ProcessInfo.processInfo.environment.merging([
      "LD_PRELOAD": library, "SCRIPTED_PCM": paths.script, "SCRIPTED_PCM_REPORT": paths.report,
    ]) { $1 }
    let written = FileHandle(forWritingAtPath: paths.output)
    process.standardOutput = written
    process.standardError = written
    // The script's machine ends the process itself if no time passes.
    try process.run()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Outcome(
      status: process.terminationStatus + (isSignal ? 128 : 0), seconds: seconds,
      text: try String(contentsOfFile: paths.output, encoding: .utf8),
      report: FileManager.default.contents(atPath: paths.report))
  }

  // MARK: - Built products

  /// The compiler is missing or reports an error.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let directory: URL = {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "outboard-scripted-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: ScriptedMachine.directory) }
    return directory
  }()

  /// The library that is preloaded below alsa-lib, compiled once per test run.
  static let library: Result<String, any Error> = Result {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "ScriptedPCM")
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".c") }.sorted().map { sources.appending(path: $0).path }
    let path = directory.appending(path: "scripted.so").path
    try compile(["-shared", "-fPIC", "-fvisibility=hidden", "-o", path] + files + ["-lm"])
    return path
  }

  /// Compiles C.
  static func compile(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["cc", "-std=gnu17", "-O2"] + arguments
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(description: text) }
  }

  /// `driver-check`, which is built next to the tests.
  private static func driverCheck() throws -> URL {
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path != "/" {
      let program = directory.appending(path: "driver-check")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      directory.deleteLastPathComponent()
    }
    throw Failure(description: "there is no driver-check beside the tests")
  }
}
