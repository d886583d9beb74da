// LineHistory.swift: earlier lines. SPDX-License-Identifier: MIT

/// The lines that were entered, and the one that is being edited.
struct LineHistory: Equatable, Sendable {
  /// The number of lines that are kept.
  private static let longest = 500

  private var lines: [String] = []
  /// The line that is shown; the number of lines for the one that is being edited.
  private var position = 0
  /// The line that is being edited, while an earlier one is shown.
  private var draft = ""

  /// Keeps a line, unless it is empty or the same as the last one.
  mutating func add(_ line: String) {
    if !line.isEmpty, line != lines.last { lines.append(line) }
    if lines.count > Self.longest { lines.removeFirst() }
    position = lines.count
    draft = ""
  }

  /// Returns the line before the shown one; nil at the first.
  mutating func previous(_ current: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = current }
    position -= 1
    return lines[position]
  }

  /// Returns the line after the shown one; nil at the last.
  mutating func next() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position == lines.count ? draft : lines[position]
  }
}
