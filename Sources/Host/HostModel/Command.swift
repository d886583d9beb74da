// Command.swift: the commands of the control protocol. SPDX-License-Identifier: MIT

/// A command from a client to a session.
///
/// As a line it is a JSON object, for example
/// `{"command": "set", "node": "reverb", "values": {"mix": "40 %"}}`.
/// `docs/reference/control-protocol.md` describes all commands.
package enum Command: Sendable, Equatable {
  /// Reports the rig, its nodes and their values.
  case status
  /// Sets parameters and properties of a node, or the gain of a connection.
  case set(SetValues)
  /// Switches to another rig.
  case load(Load)
  /// Writes the rig with its current values to a file.
  case save(Save)
  /// Adds a node.
  case insert(Insert)
  /// Removes a node or nested rig.
  case remove(Remove)
  /// Moves a node or nested rig to another position.
  case move(Move)
  /// Gives a node another plugin.
  case replace(Replace)
  /// Takes the last change back.
  case undo
  /// Redoes the last undone change.
  case redo
  /// Recalls, stores or lists scenes.
  case scene(Scene)
  /// Controls recorders.
  case record(Record)
  /// Controls players.
  case play(Play)
  /// Reports the readings of meters.
  case meters(Meters)
  /// Reports the load of each node since the last call.
  case top
  /// Writes the last ten seconds to a directory.
  case blackBox(BlackBox)
  /// Reports the whole state, and from then on events.
  case subscribe(Subscribe)
  /// Ends the events.
  case unsubscribe
  /// Requests the next event `levels`, after the one with this number; it has no reply.
  case acknowledge(Int)
  /// Lists installed plugins.
  case plugins(Plugins)
  /// Describes a plugin.
  case plugin(String)
  /// Lists installed rigs.
  case rigs
  /// Lists a directory.
  case files(Files)
  /// Maps the next MIDI control that is moved.
  case learn(Learn)
  /// Lists, adds or removes MIDI mappings.
  case map(Map)
  /// Reports or changes musical time.
  case transport(Transport)

  /// The word for a command in JSON.
  package enum Name: String, Sendable, CaseIterable {
    case status, set, load, save, insert, remove, move, replace, undo, redo, scene, record, play,
      meters, top
    case blackBox = "black-box"
    case subscribe, unsubscribe
    case acknowledge, plugins, plugin, rigs, files
    case learn, map, transport
  }

  /// The word for this command.
  package var name: Name {
    switch self {
    case .status: .status
    case .set: .set
    case .load: .load
    case .save: .save
    case .insert: .insert
    case .remove: .remove
    case .move: .move
    case .replace: .replace
    case .undo: .undo
    case .redo: .redo
    case .scene: .scene
    case .record: .record
    case .play: .play
    case .meters: .meters
    case .top: .top
    case .blackBox: .blackBox
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .acknowledge: .acknowledge
    case .plugins: .plugins
    case .plugin: .plugin
    case .rigs: .rigs
    case .files: .files
    case .learn: .learn
    case .map: .map
    case .transport: .transport
    }
  }

  /// Whether a client receives a reply.
  package var hasReply: Bool { if case .acknowledge = self { false } else { true } }

  /// Whether the reply waits for a person, so that the client may send further commands before.
  package var waitsForPerson: Bool {
    if case .learn(let learn) = self { learn.target != nil } else { false }
  }
}

extension Command {
  /// A value for a parameter or property.
  package struct Assignment: Sendable, Equatable {
    /// The symbol of the parameter or property.
    package var symbol: String
    /// The value, written as in a rig.
    package var value: String

    /// A symbol and its value.
    package init(_ symbol: String, _ value: String) { (self.symbol, self.value) = (symbol, value) }
  }

  /// Sets all of the values, or none.
  package struct SetValues: Sendable, Equatable {
    /// The name of a node, or both ends of a connection, as in `voice -> hall`; empty if the symbols name several, as in
    /// `reverb.mix`.
    package var node: String
    /// The values, in the order in which they are set.
    package var values: [Assignment]
    /// The directory that relative paths start from; the root if nil.
    package var directory: String?
    /// The time in which the values move, in seconds; nil for at once.
    package var over: Double?

    /// Values of a node.
    package init(
      node: String, values: [Assignment], directory: String? = nil, over: Double? = nil
    ) {
      (self.node, self.values, self.directory, self.over) = (node, values, directory, over)
    }

    /// Whether the values are set like those of a scene: on several nodes, or over time.
    package var isScene: Bool { node.isEmpty || over != nil }
  }

  /// Switches to another rig.
  package struct Load: Sendable, Equatable {
    /// The absolute path of a rig file, or the name of an installed rig.
    package var file: String

    /// A rig by its path or name.
    package init(file: String) { self.file = file }
  }

  /// Writes the rig.
  package struct Save: Sendable, Equatable {
    /// The absolute path of the file; nil for the one that the rig was read from.
    package var file: String?
    /// Whether a file that exists, or has changed since it was read, is overwritten.
    package var force: Bool

    /// A file to write.
    package init(file: String? = nil, force: Bool = false) {
      (self.file, self.force) = (file, force)
    }
  }

  /// The action on scenes.
  package enum Scene: Sendable, Equatable {
    /// Lists them.
    case list
    /// Sets everything that a scene says, within some seconds; nil for the scene's own time.
    case recall(String, over: Double?)
    /// Writes all present values into the rig, under this name.
    case store(String)
    /// Recalls the scene after (1) or before (-1) the current one; the last is followed by the first.
    case step(Int)
  }

  /// A command for recorders.
  package struct Record: Sendable, Equatable {
    /// Verbs of a recorder.
    package enum Action: Sendable, Equatable {
      case start, stop, pause, resume, split
      /// Notes a text at the present frame.
      case mark(String)
    }

    /// The recorder; all of them if nil.
    package var node: String?
    /// The action; nil to report the state.
    package var action: Action?

    /// An action for a recorder.
    package init(node: String? = nil, action: Action? = nil) {
      (self.node, self.action) = (node, action)
    }
  }

  /// A command for players.
  package struct Play: Sendable, Equatable {
    /// Verbs of a player.
    package enum Action: Sendable, Equatable {
      case start, stop, pause, next, previous
      /// Continues at this position, written as `90 s` or `1:30`.
      case seek(String)
    }

    /// The player; all of them if nil.
    package var node: String?
    /// The action; nil to report the state.
    package var action: Action?

    /// An action for a player.
    package init(node: String? = nil, action: Action? = nil) {
      (self.node, self.action) = (node, action)
    }
  }

  /// Reports meters.
  package struct Meters: Sendable, Equatable {
    /// Whether maxima, loudness and clip counts begin again first.
    package var reset: Bool

    /// Reports meters as they are, or after a reset.
    package init(reset: Bool = false) { self.reset = reset }
  }

  /// Writes a black box.
  package struct BlackBox: Sendable, Equatable {
    /// The absolute path of a directory that does not exist yet.
    package var directory: String

    /// Creates a command with the directory to create.
    package init(directory: String) { self.directory = directory }
  }

  /// Begins to report events.
  package struct Subscribe: Sendable, Equatable {
    /// The kinds of events; nil for all of them.
    package var events: [Event.Kind]?
    /// The last revision that the client has.
    ///
    /// If all later changes are still kept, the reply has no snapshot, and the changes follow as
    /// events.
    package var revision: UInt64?
    /// How many times a second the event `levels` is sent; nil for never.
    package var levels: Int?

    /// Events of some kinds.
    package init(events: [Event.Kind]? = nil, revision: UInt64? = nil, levels: Int? = nil) {
      (self.events, self.revision, self.levels) = (events, revision, levels)
    }
  }
}

/// A command from a client, with the identifier that its reply repeats.
package struct CommandMessage: Sendable, Equatable {
  /// Repeated in the reply, so that a client can send several commands at once: a string or a whole number.
  package var id: JSONValue?
  /// The command.
  package var command: Command

  /// A command, with or without an identifier.
  package init(_ command: Command, id: JSONValue? = nil) { (self.command, self.id) = (command, id) }
}
