// ServiceMessage.swift: messages to the service manager. SPDX-License-Identifier: MIT

/// One message with one assignment per line; see sd_notify(3).
package struct ServiceMessage: Sendable, Equatable {
  /// The text of the message.
  package let text: String

  /// The service is ready.
  package static func ready(status: String) -> ServiceMessage {
    ServiceMessage(text: "READY=1\nSTATUS=\(line(status))")
  }

  /// The status for `systemctl status`.
  package static func status(_ status: String) -> ServiceMessage {
    ServiceMessage(text: "STATUS=\(line(status))")
  }

  /// The watchdog ping.
  package static let watchdog = ServiceMessage(text: "WATCHDOG=1")

  /// The service is stopping.
  package static let stopping = ServiceMessage(text: "STOPPING=1")

  /// A line feed would start another assignment.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
