// ManifestError.swift: everything that is wrong with one manifest. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a rig or a module's manifest was refused: all mistakes that were found, in line order.
package struct ManifestError: Sendable, Equatable {
  /// The findings, never empty, sorted by position; those that concern the whole file come first.
  package var findings: [Diagnostic]

  /// Mistakes in any order.
  package init(_ findings: [Diagnostic]) {
    self.findings = findings.inLineOrder
  }

  /// Mistakes of several files, those of each together and in line order.
  init(inOrder findings: [Diagnostic]) { self.findings = findings }

  /// A sentence for each mistake, one a line.
  package var description: String {
    findings.map(\.description).joined(separator: "\n")
  }
}

/// One thing worth saying about a manifest: a mistake, or a note where it is no obstacle.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The path as the user gave it.
  package var file: String
  /// Where it stands; nil if it concerns the file as a whole.
  package var position: SourcePosition?
  /// The keys that lead to it, for instance `nodes.reverb.plugin` or `connections[2].gain` (entries
  /// of a list are counted from 1); empty for the whole file.
  package var keyPath: String
  /// What it is.
  package var fault: DiagnosticKind

  /// All of it.
  package init(file: String, position: SourcePosition?, keyPath: String, fault: DiagnosticKind) {
    self.file = file
    self.position = position
    self.keyPath = keyPath
    self.fault = fault
  }

  /// File, line, key and sentence, as compilers write them; the sentence alone where there is no file.
  package var description: String {
    guard !file.isEmpty else { return "\(fault)" }
    let line = position.map(\.line) ?? 0
    let place = line > 0 ? "\(file):\(line)" : file
    return keyPath.isEmpty ? "\(place): \(fault)" : "\(place): \(keyPath): \(fault)"
  }
}

extension [Diagnostic] {
  /// Sorted by position, each said once; those without a position first.
  var inLineOrder: [Diagnostic] {
    let start = SourcePosition.unknown
    var files: [String: Int] = [:]
    for finding in self where files[finding.file] == nil { files[finding.file] = files.count }
    // `sort` keeps no order among equals by promise, so the place in the list decides there.
    let sorted = enumerated().sorted {
      let (one, other) = ($0.element, $1.element)
      if one.file != other.file { return files[one.file] ?? 0 < files[other.file] ?? 0 }
      return (one.position ?? start, $0.offset) < (other.position ?? start, $1.offset)
    }
    var said: Set<Diagnostic> = []
    return sorted.map(\.element).filter { said.insert($0).inserted }
  }
}

extension ManifestError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
