// ControlMessage.swift: what is asked of a run, and what it answers. SPDX-License-Identifier: MIT

/// One thing that is asked of a run.
///
/// On the socket it is a JSON object on a line of its own, for instance
/// `{"do": "set", "node": "reverb", "values": {"mix": "40 %"}}`; `docs/reference/control-protocol.md` has them all.
package struct ControlRequest: Codable, Sendable, Equatable {
  /// What can be asked.
  package enum Action: String, Codable, Sendable, CaseIterable {
    /// What runs, and what its parameters are set to.
    case describe
    /// Write the rig as it is now to a file.
    case save
    /// Set parameters of a node.
    case set
    /// Go over to another rig.
    case load
    /// Take the last change of the rig back.
    case undo
    /// Bring back what was taken back.
    case redo
    /// Go over to a scene, store one, or tell which there are.
    case scene
    /// Tell recorders something.
    case record
    /// Tell players something.
    case play
    /// What the nodes have cost since the last time that was asked.
    case measure
    /// Write the last seconds to a folder.
    case blackBox = "black-box"
    /// What meters show: input, output and the rig's own.
    case meters
  }

  /// What is asked.
  package var action: Action
  /// For `save`: the absolute path of the file; for `load`: that of the rig, or the name of an installed one;
  /// for `black-box`: that of a folder that is not there yet.
  package var file: String?
  /// For `save`: whether a file that is there already is overwritten.
  package var replaces: Bool?
  /// For `set`: the node's name; for `record` and `play`: a recorder's or a
  /// player's, all of them where nothing is said.
  package var node: String?
  /// For `set`: values by symbol.
  package var values: [String: ControlValue]?
  /// For `set`: where relative paths begin; the root where nothing is said.
  package var folder: String?
  /// For `meters`: whether they forget what they have heard.
  package var restarts: Bool?

  /// For `scene`: its name; nil to be told which there are.
  package var scene: String?
  /// For `scene`: how long it takes, in seconds; nil for as long as the scene says.
  package var over: Double?
  /// For `scene`: whether how all is now is stored under the name.
  package var stores: Bool?
  /// For `record` and `play`: what they are told, in a word; how they stand where nothing is said.
  package var order: String?
  /// For `record`: what is noted with `mark`; for `play`: where to `seek`, as a clock shows it.
  package var text: String?

  /// A request without particulars.
  package init(_ action: Action) { self.action = action }

  enum CodingKeys: String, CodingKey {
    case action = "do"
    case replaces = "force"
    case stores = "store"
    case restarts = "restart"
    case file, node, values, folder, scene, over, order, text
  }
}

/// What a run answers.
package struct ControlReply: Codable, Sendable, Equatable {
  /// Why a request was not met.
  package struct ErrorInfo: Codable, Sendable, Equatable {
    /// One sentence for people.
    package var message: String
    /// The exit status that it stands for.
    package var status: Int

    /// A sentence and its exit status.
    package init(message: String, status: Int) {
      self.message = message
      self.status = status
    }
  }

  /// A value as a person reads it, as `describe` tells of it.
  package struct Shown: Codable, Sendable, Equatable {
    /// The parameter's or the readout's symbol.
    package var symbol: String
    /// Its name.
    package var name: String
    /// The value with its unit, or the name of the choice.
    package var text: String

    /// A value by its texts.
    package init(symbol: String, name: String, text: String) {
      (self.symbol, self.name, self.text) = (symbol, name, text)
    }
  }

  /// A node, as `describe` tells of it.
  package struct Node: Codable, Sendable, Equatable {
    /// Its name in the rig.
    package var name: String
    /// What it is: a URI, an id or a built-in's word.
    package var plugin: String
    /// What its parameters are set to, by symbol, in their units.
    package var values: [String: Float]
    /// What it measures, by symbol, in their units; nil where it measures nothing.
    package var readouts: [String: Float]?
    /// The same values for people, in the plugin's order; nil from a run of an older version.
    package var shown: [Shown]?
    /// The same readouts for people.
    package var shownReadouts: [Shown]?

    /// A node by its facts.
    package init(
      name: String, plugin: String, values: [String: Float], readouts: [String: Float]? = nil
    ) {
      self.name = name
      self.plugin = plugin
      self.values = values
      self.readouts = readouts
    }
  }

  /// What a node costs, as `measure` tells of it.
  package struct Load: Codable, Sendable, Equatable {
    /// Its name in the rig.
    package var name: String
    /// What it is: a URI, an id or a built-in's word.
    package var plugin: String
    /// Share of the period in the mean, in percent.
    package var mean: Double
    /// Share that 99 of 100 blocks stayed below, in percent.
    package var p99: Double
    /// Share of the longest block, in percent.
    package var worst: Double
    /// Highest level that it gave out, in dBFS; nil for silence.
    package var peak: Double?
    /// Frames by which it delays the sound.
    package var latency: Int
    /// How often it was found at fault.
    package var faults: Int
    /// What it did the last time: `not a number`, `runaway`, `late` or `offset`; nil where there was nothing.
    package var lastFault: String?

    /// A node's cost by its figures.
    package init(
      name: String, plugin: String, mean: Double, p99: Double, worst: Double, peak: Double?,
      latency: Int, faults: Int, lastFault: String? = nil
    ) {
      (self.name, self.plugin, self.mean, self.p99) = (name, plugin, mean, p99)
      (self.worst, self.peak, self.latency, self.faults) = (worst, peak, latency, faults)
      self.lastFault = lastFault
    }
  }

  /// A scene, as `scene` tells of it.
  package struct Scene: Codable, Sendable, Equatable {
    /// What it is called.
    package var name: String
    /// How long it takes by itself, in seconds; nil for at once.
    package var over: Double?
    /// Whether it is the one that was gone over to, or stored, last.
    package var current: Bool

    /// A scene by its facts.
    package init(name: String, over: Double?, current: Bool) {
      (self.name, self.over, self.current) = (name, over, current)
    }
  }

  /// Why the request was not met; nil where it was.
  package var error: ErrorInfo?
  /// What is worth knowing, one sentence each.
  package var notes: [String]?
  /// For `describe`: the rig's name.
  package var rig: String?
  /// For `describe`: the process.
  package var process: Int?
  /// For `describe`: the nodes in the order of the rig.
  package var nodes: [Node]?
  /// For `measure`: what each node cost, in the order of the rig.
  package var loads: [Load]?
  /// For `meters`: what each one shows; input and output come first.
  package var meters: [MeterValues]?

  /// For `scene` without a name: the scenes in the order of the rig.
  package var scenes: [Scene]?

  /// An answer to something that was done.
  package init(notes: [String] = []) { self.notes = notes.isEmpty ? nil : notes }

  /// An answer to something that was not.
  package init(error: ErrorInfo) { self.error = error }
}
