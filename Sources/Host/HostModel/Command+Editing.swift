// Command+Editing.swift: the commands that change the nodes of a rig. SPDX-License-Identifier: MIT

extension Command {
  /// Where a node is put.
  package enum Place: Sendable, Equatable {
    /// Behind a node, a nested rig or `in`.
    case after(String)
    /// In front of a node, a nested rig or `out`.
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
    /// The place; nil for the one before `out`.
    package var place: Place?

    /// A node to add.
    package init(_ plugin: PluginChoice, name: String? = nil, place: Place? = nil) {
      (self.plugin, self.name, self.place) = (plugin, name, place)
    }
  }

  /// Removes a node or nested rig.
  package struct Remove: Sendable, Equatable {
    /// Its name.
    package var node: String

    /// A node to remove.
    package init(node: String) { self.node = node }
  }

  /// Moves a node or nested rig.
  package struct Move: Sendable, Equatable {
    /// Its name.
    package var node: String
    /// The new place.
    package var place: Place

    /// A node to move.
    package init(node: String, to place: Place) { (self.node, self.place) = (node, place) }
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

extension Command.Place {
  /// The keys of a place in JSON.
  private static let keys = ["after", "before", "on"]

  /// Reads one of the keys; nil if there is none.
  static func read(_ reader: inout ObjectReader) throws(ProtocolError) -> Self? {
    var found: [Self] = []
    for key in keys {
      guard let name = try reader.string(key) else { continue }
      found.append(key == "after" ? .after(name) : key == "before" ? .before(name) : .on(name))
    }
    guard found.count < 2 else { throw .severalPlaces }
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
    place = try Command.Place.read(&reader)
  }
}

extension Command.Move {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.requiredString("node", of: "move")
    guard let place = try Command.Place.read(&reader) else {
      throw .missing(key: "after", command: "move")
    }
    self.place = place
  }
}

extension Command.Replace {
  init(_ reader: inout ObjectReader) throws(ProtocolError) {
    node = try reader.requiredString("node", of: "replace")
    plugin = try Command.PluginChoice(&reader, of: "replace")
  }
}
