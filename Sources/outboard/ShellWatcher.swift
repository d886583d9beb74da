// ShellWatcher.swift: the events that `outboard shell` announces. SPDX-License-Identifier: MIT

import Console
import Control
import HostModel
import Synchronization

/// Announces events on another thread until it is stopped.
final class ShellWatcher: Sendable {
  private let channel: ControlChannel
  private let isStopped: Flag

  /// A flag that two threads share.
  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// Begins to announce changes and messages.
  init(session: String, announce: @escaping @Sendable (String) -> Void) throws {
    let flag = Flag()
    isStopped = flag
    channel = try ControlChannel(run: session) { message in
      guard !flag.isSet.load(ordering: .relaxed) else { return }
      switch message {
      case .event(let message):
        for line in EventFormatter.lines(message) { announce(line) }
      case .ended(let error): announce("\(error)")
      case .reply: break
      }
    }
    let kinds = Event.Kind.allCases.filter { !$0.isReplaceable }
    _ = channel.send(CommandMessage(.subscribe(.init(events: kinds)), id: .integer(1)))
  }

  /// Ends the announcements.
  func stop() {
    isStopped.isSet.store(true, ordering: .relaxed)
    channel.close()
  }
}
