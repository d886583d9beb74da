// Event+State.swift: what an event says of the state. SPDX-License-Identifier: MIT

extension Event {
  /// The state has changed: `changes` lead from the revision before to `revision`.
  package struct Changed: Sendable, Equatable, Codable {
    /// What can cause a change.
    package enum Source: String, Sendable, Codable, CaseIterable {
      /// A client's command.
      case client
      /// The rig file, which was saved or read again.
      case file
      /// A scene on its way, or one that a MIDI program change has recalled.
      case scene
      /// The session itself: faults, plugins and module sources.
      case session
    }

    /// How many changes there have been since the start.
    package var revision: UInt64
    /// What has caused the change.
    package var source: Source
    /// The client that asked for it, if one did.
    package var client: ClientID?
    /// What has another value now, in the order in which it was set.
    package var changes: [StateChange]

    /// All of its values.
    package init(
      revision: UInt64, source: Source, client: ClientID? = nil, changes: [StateChange]
    ) {
      self.revision = revision
      self.source = source
      self.client = client
      self.changes = changes
    }
  }

  /// A message for people.
  package struct Notice: Sendable, Equatable, Codable {
    /// One sentence.
    package var notice: String

    /// All of its values.
    package init(notice: String) {
      self.notice = notice
    }
  }

  /// A property of a plugin.
  package struct Property: Sendable, Equatable, Codable {
    /// The property with its value.
    package var property: ReportedProperty

    /// All of its values.
    package init(property: ReportedProperty) {
      self.property = property
    }
  }
}
