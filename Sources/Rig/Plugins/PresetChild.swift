// PresetChild.swift: presets, read where a broken bundle does no harm. SPDX-License-Identifier: MIT

import Catalogue
import Foundation
import LV2Host
import PluginModel

/// Reads a plugin's presets in a child process.
///
/// Presets may be in any bundle, so all of them have to be looked into, and one that aborts or hangs
/// while it is read would take this process with it.
package enum PresetChild {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--preset-child"
  private static let patienceSeconds = 20.0

  /// What the child is asked.
  struct Request: Codable {
    let plugin: String
    let home: String
    let bundles: [String]
  }

  /// Reads the request from standard input, prints the presets, and ends. [main, in the child]
  package static func run() -> Never {
    let input = FileHandle.standardInput.readDataToEndOfFile()
    guard let request = try? JSONDecoder().decode(Request.self, from: input),
      let presets = try? LV2Presets.find(
        of: request.plugin, home: request.home, in: request.bundles),
      let answer = try? JSONEncoder().encode(presets)
    else { exit(1) }
    FileHandle.standardOutput.write(answer)
    exit(0)
  }

  /// The presets that were asked for; nil if the child did not come back with them in time. [main]
  static func presets(_ request: Request, by command: ChildCommand) -> [PluginPreset]? {
    guard let question = try? JSONEncoder().encode(request) else { return nil }
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
    DispatchQueue.global().asyncAfter(deadline: .now() + patienceSeconds, execute: overdue)
    // A child that has died reads nothing, which is found out below.
    try? input.fileHandleForWriting.write(contentsOf: question)
    try? input.fileHandleForWriting.close()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    overdue.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return try? JSONDecoder().decode([PluginPreset].self, from: answer)
  }
}
