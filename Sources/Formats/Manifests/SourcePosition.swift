// SourcePosition.swift: a line and column in a file. SPDX-License-Identifier: MIT

/// A position in a manifest, as an editor shows it.
package struct SourcePosition: Sendable, Hashable, Comparable {
  /// The line, counted from 1.
  package var line: Int
  /// The column in Unicode scalars, counted from 1.
  package var column: Int

  /// A line and a column, both counted from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// No position, for a value that was not read from a file.
  package static let unknown = Self(line: 0, column: 0)

  /// Returns whether one position is before another. [any]
  package static func < (first: Self, second: Self) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}
