// Command+Transport.swift: the command for musical time. SPDX-License-Identifier: MIT

extension Command {
  /// A change of musical time; nothing to report it.
  package struct Transport: Sendable, Equatable {
    /// What happens, besides a new tempo.
    package enum Action: String, Sendable, CaseIterable {
      /// The user has tapped a beat. The host sets the tempo from the times of taps.
      case tap
      /// Time advances.
      case start
      /// Time does not advance.
      case stop
      /// The position is the beginning.
      case rewind
    }

    /// The tempo in beats per minute; nil to keep it.
    package var tempo: Double?
    /// The action; nil for none.
    package var action: Action?

    /// A tempo, an action, or both.
    package init(tempo: Double? = nil, action: Action? = nil) {
      (self.tempo, self.action) = (tempo, action)
    }
  }
}

extension Command.Transport {
  /// The words for actions in JSON.
  package static let keywords = Action.allCases.map(\.rawValue)

  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    tempo = try reader.number("tempo")
    guard let word = try reader.string("action") else { return }
    guard let known = Action(rawValue: word) else {
      throw .unknownWord(word, key: "action", words: Self.keywords)
    }
    if known == .tap, tempo != nil { throw .unknownKey(key: "tempo", command: "this action") }
    action = known
  }

  var members: [(String, JSONValue?)] {
    // The tempo of taps is computed by the host.
    [
      ("tempo", action == .tap ? nil : tempo.map(JSONValue.number)),
      ("action", action.map { .string($0.rawValue) }),
    ]
  }
}
