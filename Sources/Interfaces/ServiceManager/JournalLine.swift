// JournalLine.swift: journal lines with priorities. SPDX-License-Identifier: MIT

/// The priority of a line, as in syslog(3).
package enum JournalPriority: Int, Sendable {
  /// The service fails.
  case error = 3
  /// There are or will be dropouts.
  case warning = 4
  /// A relevant change.
  case notice = 5
  /// Normal operation.
  case information = 6
}

/// The format of lines on standard error for the journal; see sd-daemon(3).
package enum JournalLine {
  /// Returns the text with the priority before each line.
  package static func text(_ text: String, _ priority: JournalPriority) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
  }
}
