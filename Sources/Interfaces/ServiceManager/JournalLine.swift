// JournalLine.swift: lines for the journal, with their priority. SPDX-License-Identifier: MIT

/// How urgent a line is, as in syslog(3).
package enum JournalPriority: Int, Sendable {
  /// It ends here.
  case error = 3
  /// Sound was lost, or will be.
  case warning = 4
  /// Something changed that people will want to know.
  case notice = 5
  /// The usual course.
  case information = 6
}

/// What is written to standard error for the journal; see sd-daemon(3).
package enum JournalLine {
  /// The text with its priority before each of its lines.
  package static func text(_ text: String, _ priority: JournalPriority) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
  }
}
