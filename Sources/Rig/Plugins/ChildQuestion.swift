// ChildQuestion.swift: one question to a child process, and its answer. SPDX-License-Identifier: MIT

import Catalogue
import Foundation

/// The program itself, started with a hidden first argument, asked once through its standard streams.
enum ChildQuestion {
  /// The answer; nil if the child did not come back with one in time. [any]
  static func answer(
    to question: Data, argument: String, by command: ChildCommand, withinSeconds seconds: Double
  ) -> Data? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command.executable).resolvingSymlinksInPath()
    process.arguments = [argument]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let (input, output) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = input
    guard (try? process.run()) != nil else { return nil }
    command.ender?.enter(process.processIdentifier)
    defer { command.ender?.leave(process.processIdentifier) }
    let overdue = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: overdue)
    // A child that has died reads nothing, which is found out below.
    try? input.fileHandleForWriting.write(contentsOf: question)
    try? input.fileHandleForWriting.close()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    overdue.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return answer
  }
}
