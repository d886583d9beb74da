// LineHistory.swift: earlier lines. SPDX-License-Identifier: MIT

/// The lines that were entered, and the one that is being edited.
struct LineHistory: Equatable, Sendable {
  /// The number of lines that are kept.
  private static let longest = 500

  private var lines: [String] = []
  /// The line that is shown; the number of lines for the one that is being edited.
  private var place = 0
  /// The line that is being edited, while an earlier one is shown.
  private var draft = ""

  /// Keeps a line, unless it is empty or the same as the last one.
  mutating func add(_ line: String) {
    if !line.isEmpty, line != lines.last { lines.append(line) }
    if lines.count > Self.longest { lines.removeFirst() }
    place = lines.count
    draft = ""
  }

  /// Returns the line before the shown one; nil at the first.
  mutating func previous(_ current: String) -> String? {
    guard place > 0 else { return nil }
    if place == lines.count { draft = current }
    place -= 1
    return lines[place]
  }

  /// Returns the line after the shown one; nil at the last.
  mutating func next() -> String? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? draft : lines[place]
  }
}
