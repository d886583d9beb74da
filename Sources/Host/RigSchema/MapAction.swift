// MapAction.swift: what a button can do besides setting a value. SPDX-License-Identifier: MIT

/// An action that a MIDI control triggers.
package enum MapAction: Hashable, Sendable {
  /// Recalls the next or previous scene, by this step.
  case stepScene(Int)
  /// Recalls a scene by its name, or by its number from 1.
  case scene(String)
  /// Takes the last change back.
  case undo
  /// Redoes the last undone change.
  case redo
  /// Commands recorders: the verb, and the name of one recorder or nil for all.
  case record(String, node: String?)
  /// Commands players: the verb, and the name of one player or nil for all.
  case play(String, node: String?)
  /// Sets the tempo by taps.
  case tapTempo
  /// Commands the transport by this verb.
  case transport(String)

  /// Verbs of recorders; `toggle` starts or stops.
  package static let recordVerbs = ["start", "stop", "toggle", "pause", "resume", "split"]
  /// Verbs of players.
  package static let playVerbs = ["start", "stop", "pause", "next", "previous"]
  /// Verbs of the transport; `toggle` starts or stops.
  package static let transportVerbs = ["start", "stop", "toggle", "rewind"]
  /// The actions, for messages.
  static let examples =
    "next scene, previous scene, scene NAME, undo, redo, record start, play next, tap tempo, transport"
    + " toggle"

  /// Parses an action; returns nil for another text. [any]
  package init?(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first else { return nil }
    let rest = words.dropFirst().joined(separator: " ")
    let node = words.count == 3 ? words[2] : nil
    switch (first, rest) {
    case ("next", "scene"): self = .stepScene(1)
    case ("previous", "scene"): self = .stepScene(-1)
    case ("undo", ""): self = .undo
    case ("redo", ""): self = .redo
    case ("tap", "tempo"): self = .tapTempo
    case ("transport", _) where Self.transportVerbs.contains(rest): self = .transport(rest)
    case ("scene", _) where !rest.isEmpty: self = .scene(rest)
    case ("record", _) where 2 ... 3 ~= words.count && Self.recordVerbs.contains(words[1]):
      self = .record(words[1], node: node)
    case ("play", _) where 2 ... 3 ~= words.count && Self.playVerbs.contains(words[1]):
      self = .play(words[1], node: node)
    default: return nil
    }
  }
}
