// SessionObserver.swift: who is told how a run goes. SPDX-License-Identifier: MIT

import Session

/// A person, a program or a service manager, told from the start of a run to its end. [main]
protocol SessionObserver {
  /// Says what is worth knowing before there is any sound.
  func warn(_ sentences: [String])
  /// Says what was opened, and what is worth knowing of it.
  func introduce(warnings: [String], endsByItself: Bool)
  /// Takes one report of about ten in a second.
  func show(_ report: LiveSession.Report)
  /// The end is about to come: the sound is still to be faded out.
  func willStop()
  /// Says what was still to be told, one sentence each, and how it went.
  func finish(_ session: LiveSession, _ notices: [String], asJSON: Bool)
}

extension SessionObserver {
  /// Nothing: `introduce` says it.
  func warn(_ sentences: [String]) {}
}

extension TerminalView: SessionObserver {
  /// Nothing: who asked for the end knows of it.
  func willStop() {}
}
