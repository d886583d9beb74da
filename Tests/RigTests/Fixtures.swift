// Fixtures.swift: paths of the tests' manifests. SPDX-License-Identifier: MIT

import Foundation

/// Folders of this repository.
enum Fixtures {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The names in a folder of the repository, sorted; none if the folder is missing.
  static func names(in folder: String) -> [String] {
    let path = root.appending(path: folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { !$0.hasPrefix(".") }
  }

  static func path(_ file: String) -> String {
    root.appending(path: file).path
  }

  /// What a fixture's `expected.txt` says, without the line end after the last sentence.
  static func expectation(in folder: String) throws -> String {
    try String(contentsOfFile: path("\(folder)/expected.txt"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }
}
