// ServiceMessage.swift: what a service says to its manager. SPDX-License-Identifier: MIT

/// One message, a line for each thing said; see sd_notify(3).
package struct ServiceMessage: Sendable, Equatable {
  /// The lines as they are sent.
  package let text: String

  /// It does what it was started for.
  package static func ready(status: String) -> ServiceMessage {
    ServiceMessage(text: "READY=1\nSTATUS=\(line(status))")
  }

  /// How it goes, for `systemctl status`.
  package static func status(_ status: String) -> ServiceMessage {
    ServiceMessage(text: "STATUS=\(line(status))")
  }

  /// It is alive.
  package static let watchdog = ServiceMessage(text: "WATCHDOG=1")

  /// It is about to end.
  package static let stopping = ServiceMessage(text: "STOPPING=1")

  /// A line end would begin another thing.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
