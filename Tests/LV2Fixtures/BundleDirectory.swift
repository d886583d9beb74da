// BundleDirectory.swift: fixture bundles, built into a separate directory. SPDX-License-Identifier: MIT

import Foundation

/// A temporary directory with bundles from `Tests/Fixtures/lv2`, their sources compiled; removed with
/// its last reference.
package final class BundleDirectory: Sendable {
  /// The directory, as `LV2_PATH` would name it.
  package let path: String

  /// Builds the bundles of these names.
  package init(_ names: [String]) throws {
    path = NSTemporaryDirectory() + "outboard-lv2-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in names { try build(name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The bundle with this name.
  package func bundle(_ name: String) -> String { "\(path)/\(name).lv2" }

  /// The expected message about a bundle: the text of its `expected.txt`, with its path.
  package func expectation(_ name: String) throws -> String {
    try String(contentsOfFile: bundle(name) + "/expected.txt", encoding: .utf8)
      .replacingOccurrences(of: "BUNDLE", with: bundle(name))
      .trimmingCharacters(in: .newlines)
  }

  /// The fixtures, in any working directory.
  private static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures/lv2")

  private func build(_ name: String) throws {
    let source = Self.fixtures.appendingPathComponent("\(name).lv2").path
    try FileManager.default.copyItem(atPath: source, toPath: bundle(name))
    guard FileManager.default.fileExists(atPath: bundle(name) + "/plugin.c") else { return }
    let status = try Tool.run(
      "/usr/bin/cc",
      [
        "-shared", "-fPIC", "-O1", "-I", Self.fixtures.path, "-o", bundle(name) + "/plugin.so",
        bundle(name) + "/plugin.c",
      ])
    guard status == 0 else { throw ToolFailure(tool: "cc", status: status) }
  }
}

/// A program that failed.
package struct ToolFailure: Error {
  let tool: String
  let status: Int32
}

/// Programs that tests call.
package enum Tool {
  /// Runs a program to its end, without its output; returns its exit status.
  package static func run(_ path: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether a program is installed.
  package static func exists(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }
}
