// Command+Editing.swift: commands that edit the rig, its mappings and its musical time. SPDX-License-Identifier: MIT

extension Command {
  /// The position of a node.
  package enum Position: Sendable, Equatable {
    /// After a node, a nested rig or `in`.
    case after(String)
    /// Before a node, a nested rig or `out`.
    case before(String)
    /// Into a connection, as in `voice -> hall`.
    case on(String)
  }

  /// A plugin for a node, with its values.
  package struct PluginChoice: Sendable, Equatable {
    /// The name, id or URI of the plugin, or an absolute path.
    package var plugin: String
    /// The values, in the order in which they are set.
    package var values: [Assignment]
    /// The directory that relative paths in values start from; the root if nil.
    package var directory: String?

    /// A plugin with its values.
    package init(_ plugin: String, values: [Assignment] = [], directory: String? = nil) {
      (self.plugin, self.values, self.directory) = (plugin, values, directory)
    }
  }

  /// Adds a node.
  package struct Insert: Sendable, Equatable {
    /// The plugin of the node.
    package var plugin: PluginChoice
    /// The name of the node; nil for a name after the plugin.
    package var name: String?
    /// The position; nil for the one before `out`.
    package var position: Position?

    /// A node to add.
    package init(_ plugin: PluginChoice, name: String? = nil, position: Position? = nil) {
      (self.plugin, self.name, self.position) = (plugin, name, position)
    }
  }

  /// Removes a node or nested rig.
  package struct Remove: Sendable, Equatable {
    /// The name.
    package var node: String

    /// A node to remove.
    package init(node: String) { self.node = node }
  }

  /// Moves a node or nested rig.
  package struct Move: Sendable, Equatable {
    /// The name.
    package var node: String
    /// The new position.
    package var position: Position

    /// A node to move.
    package init(node: String, to position: Position) {
      (self.node, self.position) = (node, position)
    }
  }

  /// Gives a node another plugin.
  package struct Replace: Sendable, Equatable {
    /// The name of the node.
    package var node: String
    /// The new plugin.
    package var plugin: PluginChoice

    /// A node and its new plugin.
    package init(node: String, with plugin: PluginChoice) {
      (self.node, self.plugin) = (node, plugin)
    }
  }
}

// MARK: - JSON

extension Command.Position {
  /// The keys of a position in JSON.
  private static let keys = ["after", "before", "on"]

  /// Reads one of the keys; nil if there is none.
  static func read(_ reader: inout ObjectReader) throws(ProtocolError) -> Self? {
    var found: [Self] = []
    for key in keys {
      guard let name = try reader.string(key) else { continue }
      found.append(key == "after" ? .after(name) : key == "before" ? .before(name) : .on(name))
    }
    guard found.count < 2 else { throw .severalPositions }
    return found.first
  }

  /// The key and its value.
  var member: (String, JSONValue?) {
    switch self {
    case .after(let name): ("after", .string(name))
    case .before(let name): ("before", .string(name))
    case .on(let name): ("on", .string(name))
    }
  }
}

extension Command.PluginChoice {
  init(_ reader: inout ObjectReader, of command: String) throws(ProtocolError) {
    plugin = try reader.requiredString("plugin", of: command)
    values = try Command.SetValues.assignments(&reader) ?? []
    directory = try reader.string("directory")
  }

  /// The keys and their values.
  var members: [(String, JSONValue?)] {
    [
      ("plugin", .string(plugin)),
      ("values", values.isEmpty ? nil : Command.SetValues.json(values)),
      ("directory", directory.map(JSONValue.string)),
    ]
  }
}

extension Command.Insert {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    plugin = try Command.PluginChoice(&reader, of: "insert")
    name = try reader.string("name")
    position = try Command.Position.read(&reader)
  }
}

extension Command.Move {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.requiredString("node", of: "move")
    guard let position = try Command.Position.read(&reader) else {
      throw .missing(key: "after", command: "move")
    }
    self.position = position
  }
}

extension Command.Replace {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.requiredString("node", of: "replace")
    plugin = try Command.PluginChoice(&reader, of: "replace")
  }
}

extension Command {
  /// A change of musical time; nothing to report it.
  package struct Transport: Sendable, Equatable {
    /// A change of the transport other than the tempo.
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

extension Command {
  /// Maps the next control that is moved.
  package struct Learn: Sendable, Equatable {
    /// The parameter or action to map, as in a rig: `reverb.mix`, `next scene`; nil to cancel.
    package var target: String?
    /// The range in the target's unit, as in `0..60 %`; nil for that of the target.
    package var range: String?
    /// The name of the MIDI device; nil for any hardware device.
    package var device: String?
    /// Words that follow the target in a rig, such as `pickup`; nil for none.
    package var options: String?

    /// Creates a command.
    package init(
      target: String? = nil, range: String? = nil, device: String? = nil, options: String? = nil
    ) {
      (self.target, self.range, self.device, self.options) = (target, range, device, options)
    }
  }

  /// The action on mappings.
  package enum Map: Sendable, Equatable {
    /// Lists them.
    case list
    /// Adds a line, as in a rig.
    case add(String)
    /// Removes those with this number, line, target or control.
    case remove(String)
  }
}

extension Command.Learn {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    target = try reader.string("target")
    range = try reader.string("range")
    device = try reader.string("device")
    options = try reader.string("options")
    // Without a target the others have no meaning.
    if target == nil, range != nil || device != nil || options != nil {
      throw .missing(key: "target", command: "learn")
    }
  }

  var members: [(String, JSONValue?)] {
    [("target", target), ("range", range), ("device", device), ("options", options)].map {
      ($0.0, $0.1.map(JSONValue.string))
    }
  }
}

extension Command.Map {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    switch (try reader.string("add"), try reader.string("remove")) {
    case (nil, nil): self = .list
    case (let line?, nil): self = .add(line)
    case (nil, let text?): self = .remove(text)
    case (_?, _?): throw .unknownKey(key: "remove", command: "map with \"add\"")
    }
  }

  var members: [(String, JSONValue?)] {
    switch self {
    case .list: []
    case .add(let line): [("add", .string(line))]
    case .remove(let text): [("remove", .string(text))]
    }
  }
}
