// ManifestError.swift: everything that is wrong with one manifest. SPDX-License-Identifier: MIT

package import ErrorModel

/// The errors in a rig or module manifest, in line order.
package struct ManifestError: Sendable, Equatable {
  /// The diagnostics, never empty, sorted by position; those about the whole file come first.
  package var diagnostics: [Diagnostic]

  /// Mistakes in any order.
  package init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics.inLineOrder
  }

  /// Mistakes of several files, those of each together and in line order.
  package init(inOrder diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// A message for each mistake, one a line.
  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// A diagnostic about a manifest: an error or a note.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The path as the user gave it.
  package var file: String
  /// The position; nil if it concerns the whole file.
  package var position: SourcePosition?
  /// The keys that lead to it, for example `nodes.reverb.plugin` or `connections[2].gain` (entries of a list
  /// are counted from 1); empty for the whole file.
  package var keyPath: String
  /// The kind of diagnostic.
  package var fault: DiagnosticKind

  /// Creates a diagnostic.
  package init(file: String, position: SourcePosition?, keyPath: String, fault: DiagnosticKind) {
    self.file = file
    self.position = position
    self.keyPath = keyPath
    self.fault = fault
  }

  /// File, line, key and message, as compilers print them; only the message if there is no file.
  package var description: String {
    guard !file.isEmpty else { return "\(fault)" }
    let line = position.map(\.line) ?? 0
    let location = line > 0 ? "\(file):\(line)" : file
    return keyPath.isEmpty ? "\(location): \(fault)" : "\(location): \(keyPath): \(fault)"
  }
}

extension [Diagnostic] {
  /// Sorted by position, each said once; those without a position first.
  package var inLineOrder: [Diagnostic] {
    let start = SourcePosition.unknown
    var files: [String: Int] = [:]
    for diagnostic in self where files[diagnostic.file] == nil {
      files[diagnostic.file] = files.count
    }
    // `sort` keeps no order among equals by promise, so the index decides there.
    let sorted = enumerated().sorted {
      let (one, other) = ($0.element, $1.element)
      if one.file != other.file { return files[one.file] ?? 0 < files[other.file] ?? 0 }
      return (one.position ?? start, $0.offset) < (other.position ?? start, $1.offset)
    }
    var printed: Set<Diagnostic> = []
    return sorted.map(\.element).filter { printed.insert($0).inserted }
  }
}

extension ManifestError: HostError {
  /// Errors in manifests are errors of the request.
  package var kind: ErrorKind { .usage }
}
