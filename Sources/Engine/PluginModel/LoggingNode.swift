// LoggingNode.swift: a node whose plugin writes messages. SPDX-License-Identifier: MIT

/// A log message of a plugin.
package struct PluginLogMessage: Sendable, Equatable {
  /// `Error`, `Warning`, `Note`, `Trace`, or another name from the plugin.
  package var level: String
  /// The text, without the line's end.
  package var text: String

  /// A message of a level.
  package init(level: String, text: String) {
    self.level = level
    self.text = text
  }

  /// Whether the message is an error or a warning.
  package var isErrorOrWarning: Bool { level == "Error" || level == "Warning" }
}

/// A node whose plugin writes messages from any thread; they wait until they are taken.
package protocol LoggingNode: Node {
  /// Returns the log messages since the last call, the oldest first. [main, while rendering too]
  func takeMessages() -> [PluginLogMessage]
  /// Returns the number of errors and warnings that were dropped since the last call. [main, while
  /// rendering too]
  func takeDroppedMessageCount() -> Int
}
