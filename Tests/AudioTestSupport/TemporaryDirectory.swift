// TemporaryDirectory.swift: a directory for one test. SPDX-License-Identifier: MIT

import Foundation

/// A directory that is removed with this object.
package final class TemporaryDirectory {
  /// The path.
  package let path = NSTemporaryDirectory() + "outboard-audio-" + UUID().uuidString

  package init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  package func file(_ name: String) -> String { path + "/" + name }

  /// The names of its files.
  package var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// Creates a file with these bytes; returns its path.
  package func put(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// Returns the content of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }
}
