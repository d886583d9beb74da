// Event+State.swift: events about the state. SPDX-License-Identifier: MIT

extension Event {
  /// The state has changed; applying `changes` to the previous revision gives `revision`.
  package struct Changed: Sendable, Equatable, Codable {
    /// The cause of a change.
    package enum Source: String, Sendable, Codable, CaseIterable {
      /// A client's command.
      case client
      /// The rig file, which was saved or read again.
      case file
      /// A scene change in progress, or the recall of a scene by a MIDI program change.
      case scene
      /// The session itself: faults, plugins and module sources.
      case session
    }

    /// The number of changes since the start.
    package var revision: UInt64
    /// The cause of the change.
    package var source: Source
    /// The client that requested the change; nil if none did.
    package var client: ClientID?
    /// The changes, in the order in which they were made.
    package var changes: [StateChange]

    /// Creates an event.
    package init(
      revision: UInt64, source: Source, client: ClientID? = nil, changes: [StateChange]
    ) {
      self.revision = revision
      self.source = source
      self.client = client
      self.changes = changes
    }
  }

  /// A message for the user.
  package struct Notice: Sendable, Equatable, Codable {
    /// The message.
    package var notice: String

    /// Creates an event.
    package init(notice: String) {
      self.notice = notice
    }
  }

  /// A property of a plugin.
  package struct Property: Sendable, Equatable, Codable {
    /// The property with its value.
    package var property: ReportedProperty

    /// Creates an event.
    package init(property: ReportedProperty) {
      self.property = property
    }
  }
}
