// NoticeQueue.swift: messages that wait for a report. SPDX-License-Identifier: MIT

/// The messages of a session since its last report, oldest first. [main]
final class NoticeQueue {
  private var messages: [String] = []

  /// Adds a message.
  func append(_ message: String) { messages.append(message) }

  /// Adds messages.
  func append(contentsOf messages: [String]) { self.messages += messages }

  /// Returns the messages and removes them.
  func take() -> [String] {
    defer { messages = [] }
    return messages
  }
}
