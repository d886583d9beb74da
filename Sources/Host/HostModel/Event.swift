// Event.swift: the events of a session. SPDX-License-Identifier: MIT

package import ErrorModel

/// An event in a session.
///
/// As a line it is a JSON object, for example
/// `{"event": "xrun", "seconds": 4.417, "xruns": 1, "lostSeconds": 0.112}`.
/// `docs/reference/control-protocol.md` describes all events.
package enum Event: Sendable, Equatable {
  /// The devices were opened.
  case started(Started)
  /// The state has changed.
  case changed(Changed)
  /// Levels and load, once a second.
  case level(Level)
  /// The report of an analyser of the rig since the last event.
  case analysis(Analysis)
  /// The reading of a meter.
  case meter(Meter)
  /// The audio was interrupted.
  case xrun(Xrun)
  /// A device went or came back, or a fallback device was opened.
  case device(Device)
  /// The devices run at another rate now.
  case rate(Rate)
  /// Another message.
  case notice(Notice)
  /// A plugin reported a value of one of its properties.
  case property(Property)
  /// A MIDI device came or went.
  case midi(Notice)
  /// Feedback suppression did something.
  case feedback(Feedback)
  /// The sandbox of a node has refused something for the first time.
  case refused(Refused)
  /// Foreign code ends the session; `stopped` follows.
  case failure(Failure)
  /// The session has ended.
  case stopped(Stopped)
  /// Levels for displays, as often as a client has requested.
  case levels(Levels)

  /// The word for an event in JSON.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case started, changed, level, analysis, meter, xrun, device, rate, notice, property, midi
    case feedback, refused, failure, stopped, levels

    /// Whether a newer event of the kind replaces an older one, so that a slow client may miss some.
    package var isReplaceable: Bool { [.level, .analysis, .meter].contains(self) }
  }

  /// The word for this event.
  package var kind: Kind {
    switch self {
    case .started: .started
    case .changed: .changed
    case .level: .level
    case .analysis: .analysis
    case .meter: .meter
    case .xrun: .xrun
    case .device: .device
    case .rate: .rate
    case .notice: .notice
    case .property: .property
    case .midi: .midi
    case .feedback: .feedback
    case .refused: .refused
    case .failure: .failure
    case .stopped: .stopped
    case .levels: .levels
    }
  }

  /// A newer event replaces this one only if it has the same key; nil if no event replaces it.
  package var replacementKey: String? {
    switch self {
    case .level: "level"
    case .analysis(let payload): "analysis \(payload.analysis.node)"
    case .meter(let payload): "meter \(payload.meter.name)"
    default: nil
    }
  }
}

/// An event and when it happened.
package struct EventMessage: Sendable, Equatable {
  /// Since the start of the session, in milliseconds' precision.
  package var seconds: Double
  /// The event.
  package var event: Event

  /// An event at a time.
  package init(seconds: Double, _ event: Event) { (self.seconds, self.event) = (seconds, event) }
}

extension EventMessage: Codable {
  enum CodingKeys: String, CodingKey {
    case event, seconds
  }

  /// Decodes an event by its `event` key; ignores unknown keys.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    seconds = try values.decode(Double.self, forKey: .seconds)
    event =
      switch try values.decode(Event.Kind.self, forKey: .event) {
      case .started: .started(try .init(from: decoder))
      case .changed: .changed(try .init(from: decoder))
      case .level: .level(try .init(from: decoder))
      case .analysis: .analysis(try .init(from: decoder))
      case .meter: .meter(try .init(from: decoder))
      case .xrun: .xrun(try .init(from: decoder))
      case .device: .device(try .init(from: decoder))
      case .rate: .rate(try .init(from: decoder))
      case .notice: .notice(try .init(from: decoder))
      case .property: .property(try .init(from: decoder))
      case .midi: .midi(try .init(from: decoder))
      case .feedback: .feedback(try .init(from: decoder))
      case .refused: .refused(try .init(from: decoder))
      case .failure: .failure(try .init(from: decoder))
      case .stopped: .stopped(try .init(from: decoder))
      case .levels: .levels(try .init(from: decoder))
      }
  }

  /// Writes `event`, `seconds` and the keys of the event.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(event.kind, forKey: .event)
    try values.encode(seconds, forKey: .seconds)
    switch event {
    case .started(let payload): try payload.encode(to: encoder)
    case .changed(let payload): try payload.encode(to: encoder)
    case .level(let payload): try payload.encode(to: encoder)
    case .analysis(let payload): try payload.encode(to: encoder)
    case .meter(let payload): try payload.encode(to: encoder)
    case .xrun(let payload): try payload.encode(to: encoder)
    case .device(let payload): try payload.encode(to: encoder)
    case .rate(let payload): try payload.encode(to: encoder)
    case .notice(let payload), .midi(let payload): try payload.encode(to: encoder)
    case .property(let payload): try payload.encode(to: encoder)
    case .feedback(let payload): try payload.encode(to: encoder)
    case .refused(let payload): try payload.encode(to: encoder)
    case .failure(let payload): try payload.encode(to: encoder)
    case .stopped(let payload): try payload.encode(to: encoder)
    case .levels(let payload): try payload.encode(to: encoder)
    }
  }
}

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
      /// A MIDI control.
      case midi
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
    /// The text.
    package var notice: String
    /// The name of what has happened.
    package var name: String
    /// The values in the text, and more.
    package var fields: [String: String]

    /// Creates an event.
    package init(_ notice: HostNotice) {
      (self.notice, name, fields) = ("\(notice)", notice.name, notice.fields)
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

extension Event {
  /// A request that the sandbox of a node has refused.
  package struct Refused: Sendable, Equatable, Codable {
    /// The node's name in the rig.
    package var node: String
    /// The name of its plugin.
    package var plugin: String
    /// The kind of request: `network`, `communication`, `process`, `inspection`, `signal`, `system`, `home`, `read` or
    /// `write`.
    package var request: String
    /// The system call; nil if unknown.
    package var call: String?
    /// The file; nil if there is none, or it is unknown.
    package var path: String?
    /// The message about the refusal.
    package var notice: String

    /// Creates an event.
    package init(
      node: String, plugin: String, request: String, call: String?, path: String?, notice: String
    ) {
      (self.node, self.plugin, self.request) = (node, plugin, request)
      (self.call, self.path, self.notice) = (call, path, notice)
    }
  }
}
