// PresetChild.swift: names of presets, read where a broken bundle does no harm. SPDX-License-Identifier: MIT

import Foundation
import LV2Host

/// Reads a plugin's presets in a child process.
///
/// Presets may be in any bundle, so all of them have to be read, and one that aborts or hangs while
/// it is read would take this process with it.
package enum PresetChild {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--preset-child"
  private static let patienceSeconds = 20.0

  /// Prints the names, one a line, and ends. [main, in the child]
  package static func run(plugin: String) -> Never {
    let names = (try? LV2Scanner.presetNames(of: plugin)) ?? []
    FileHandle.standardOutput.write(Data(names.joined(separator: "\n").utf8))
    exit(0)
  }

  /// The names of a plugin's presets, sorted; none if the child did not come back in time. [main]
  static func names(of plugin: String) -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [argument, plugin]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return [] }
    let overdue = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + patienceSeconds, execute: overdue)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    overdue.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return [] }
    return text.split(separator: "\n").map(String.init)
  }
}
