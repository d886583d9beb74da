// ProjectSource.swift: the file or directory of a project. SPDX-License-Identifier: MIT

import CFiles
import FoundationEssentials
import Manifests

/// A project before its format is known.
package struct ProjectSource: Sendable {
  /// The path as the user gave it, without slashes at the end.
  package let path: String
  /// The text of a file; empty for a directory.
  package let text: String
  /// The names in a directory, sorted; nil for a file.
  package let entries: [String]?

  /// The size limit in bytes: states of plugins make projects long.
  static let limitBytes = 16_000_000

  /// Reads a file, or lists a directory. [any]
  ///
  /// - Throws: `ImportError`, or `ManifestError` if it cannot be read.
  package init(path written: String) throws {
    path = Self.withoutSlashes(written)
    if !path.utf8.contains(0), unsafe cfiles_kind_at(path) == CFILES_DIRECTORY {
      text = ""
      entries = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      return
    }
    text = try Self.text(atPath: path)
    entries = nil
  }

  /// A text as if it were a file, for tests and nested files.
  package init(path: String, text: String) {
    (self.path, self.text, entries) = (path, text, nil)
  }

  /// The name of the file or directory without its extension.
  package var stem: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the directory of a path, with a slash at the end; empty for the current one.
  static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Reads a file of the directory; see `init`.
  func file(_ name: String) throws -> ProjectSource {
    let file = "\(path)/\(name)"
    return ProjectSource(path: file, text: try Self.text(atPath: file))
  }

  private static func text(atPath path: String) throws -> String {
    do {
      return try ManifestFile.text(atPath: path, limitBytes: limitBytes)
    } catch {
      switch error.diagnostics.first?.fault {
      case .fileTooLarge: throw ImportError.tooLarge(path: path, limitBytes: limitBytes)
      case .fileIsData: throw ImportError.unknownFormat(path: path)
      default: throw error
      }
    }
  }

  private static func withoutSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }
}
