// Fixtures.swift: paths of test fixtures. SPDX-License-Identifier: MIT

import Foundation

/// Directories of this repository.
enum Fixtures {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The names in a directory of the repository, sorted; none if the directory is missing.
  static func names(in directory: String) -> [String] {
    let path = root.appending(path: directory).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { !$0.hasPrefix(".") }
  }

  static func path(_ file: String) -> String {
    root.appending(path: file).path
  }

  /// The content of a fixture's `expected.txt`, without the line end after the last message.
  static func expectation(in directory: String) throws -> String {
    try String(contentsOfFile: path("\(directory)/expected.txt"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }
}
