// SessionObserver.swift: protocol of the session views. SPDX-License-Identifier: MIT

import ErrorModel
import Session

/// A view for people, programs or a service manager, from the start of a session to its end. [main]
protocol SessionObserver {
  /// Shows messages before audio starts.
  func warn(_ messages: [String])
  /// Shows the opened devices and the messages about them.
  func sessionStarted(warnings: [String], isFinite: Bool)
  /// Shows how to reach the session.
  func announce(_ lines: [String])
  /// Receives a report, about ten per second.
  func show(_ report: LiveSession.Report)
  /// Announces the end of the session, before audio fades out.
  func sessionWillStop()
  /// Shows the last notices and the summary.
  func finish(_ session: LiveSession, _ notices: [HostNotice], asJSON: Bool)
}

extension SessionObserver {
  /// Does nothing; `sessionStarted` shows the messages.
  func warn(_ messages: [String]) {}
}

extension TerminalView: SessionObserver {
  /// Does nothing; the user who stops a session needs no message.
  func sessionWillStop() {}
}
