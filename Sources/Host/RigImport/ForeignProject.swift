// ForeignProject.swift: a project of another host, before its plugins are looked up. SPDX-License-Identifier: MIT

package import RigSchema

/// A project of another host.
///
/// Plugins, parameters and ports have the names of that host. `ProjectResolver` makes a rig of it.
package struct ForeignProject: Sendable, Equatable {
  /// A plugin, as another host names it.
  package enum Plugin: Sendable, Hashable {
    /// An LV2 plugin by its URI.
    case lv2(String)
    /// A LADSPA plugin by its label.
    case ladspa(label: String)
    /// An included module by its identifier.
    case module(String)
    /// A plugin of a format that is not supported; `format` is a word such as `VST3`.
    case other(format: String, name: String)
    /// A filter of that host whose included counterpart cannot replace it; `problem` is a sentence.
    case notReplaceable(filter: String, problem: String)
  }

  /// How another host names a parameter.
  package enum ParameterKey: Sendable, Hashable {
    /// By symbol, or by name.
    case named(String)
    /// By its position among the control inputs, from 0.
    case index(Int)
  }

  /// A value of a parameter.
  package struct Value: Sendable, Equatable {
    /// The parameter.
    package var key: ParameterKey
    /// In the unit of the parameter.
    package var value: Double
    /// Whether the value is ignored if the plugin lacks the parameter.
    package var isOptional = false

    /// The line in the project, from 1; 0 for that of its node.
    package var line: Int

    /// A value of a parameter.
    package init(key: ParameterKey, value: Double, line: Int = 0) {
      (self.key, self.value, self.line) = (key, value, line)
    }
  }

  /// A value of a property.
  package struct Property: Sendable, Equatable {
    /// The URI of the property.
    package var uri: String
    /// The value as text.
    package var text: String
    /// Whether the text is the path of a file, relative to the project.
    package var isFile = false
    /// The line in the project, from 1; 0 for that of its node.
    package var line = 0
  }

  /// A plugin of the project, with its values.
  package struct Node: Sendable, Equatable {
    /// The name, which is different from all others.
    package var name: String
    /// The line in the project, from 1; 0 if unknown.
    package var line = 0
    /// The plugin.
    package var plugin: Plugin
    /// The values, in the order of the project.
    package var values: [Value] = []
    /// The chain of a series to which it belongs, from 0.
    package var chain = 0
    /// The properties.
    package var properties: [Property] = []
    /// The preset that was loaded last; nil for none.
    package var preset: String?
    /// The line of the preset in the project, from 1; 0 for that of its node.
    package var presetLine = 0
    /// The number of values that were set before the preset, which replaces those that it contains.
    package var earlierValueCount = 0
    /// The MIDI controls of parameters.
    package var controls: [Control] = []
    /// The directory with its LV2 state; nil for none.
    package var state: String?
    /// Whether its input is its output.
    package var isBypassed = false
    /// Whether its outputs are silent.
    package var isMuted = false
    /// The share of its output, 0 to 1; the rest is its input.
    package var wetLevel: Float = 1
    /// The gain of all its inputs, linear, 0 or above; a bypassed node ignores both gains.
    package var inputGain: Double = 1
    /// The gain of all its outputs, linear; 0 or above.
    package var outputGain: Double = 1
    /// How Carla mixes each pair of outputs; nil if it does not.
    package var balance: Balance?
    /// Whether Carla runs a plugin with one channel twice; nil if that depends on the project.
    package var isDoubled: Bool?
    /// Whether its second channel serves the next copy, if the project is repeated for more channels.
    package var servesTwoChannels = false

    /// A node with default values.
    package init(name: String, plugin: Plugin, line: Int = 0) {
      (self.name, self.plugin, self.line) = (name, plugin, line)
    }
  }

  /// A MIDI control of a parameter, or of the bypass switch.
  package struct Control: Sendable, Equatable {
    /// The symbol or name of the parameter; `bypass` for the switch.
    package var parameter: String
    /// The control.
    package var source: ControlSource
    /// The values at its ends; nil for the whole range.
    package var range: [Double]?
    /// The line in the project, from 1.
    package var line: Int
  }

  /// The positions of the channels of a pair, from -1 (left) to 1 (right).
  package struct Balance: Sendable, Equatable {
    /// The position of the first channel.
    package var left: Double
    /// The position of the second channel.
    package var right: Double
  }

  /// The port of a node, or of the project's input or output.
  package enum Port: Sendable, Hashable {
    /// An audio channel, from 1.
    case channel(Int)
    /// A port by its symbol or name.
    case named(String)
    /// MIDI.
    case midi
  }

  /// One end of a connection.
  package struct End: Sendable, Hashable {
    /// The name of the node; nil for the input or output of the project.
    package var node: String?
    /// The port.
    package var port: Port

    /// The end at a node, or at the input or output of the project.
    package init(_ node: String?, _ port: Port) { (self.node, self.port) = (node, port) }
  }

  /// A connection of one port to another.
  package struct Connection: Sendable, Equatable {
    /// The source; a nil node is the input of the project.
    package var from: End
    /// The sink; a nil node is the output of the project.
    package var to: End
    /// Linear, 0 or above.
    package var gain: Double = 1
    /// The delay in seconds; nil for none.
    package var delaySeconds: Double?
    /// The line in the project, from 1; 0 if unknown.
    package var line = 0

    /// A connection at its full level.
    package init(_ from: End, _ to: End, line: Int = 0) {
      (self.from, self.to, self.line) = (from, to, line)
    }
  }

  /// How the nodes are connected.
  package enum Topology: Sendable, Equatable {
    /// By the connections of the project.
    case connections
    /// In series, in their order, with two channels, as in Carla's rack. A plugin with one input gets the first
    /// channel, or runs twice if stereo is forced, and one with one output feeds both channels.
    case rack(forcesStereo: Bool)
    /// In series, in their order. A plugin with fewer channels runs several times. Without a number, the first
    /// plugin determines that of the channels.
    case series(channelCount: Int?)
  }

  /// The name of the format in a message, for example `Carla project`.
  package var format: String
  /// The name of the project.
  package var name: String
  /// The plugins.
  package var nodes: [Node] = []
  /// The connections; ignored for a series.
  package var connections: [Connection] = []
  /// The node whose inputs are those of the project; nil if connections name them.
  package var implicitInput: String?
  /// The node whose outputs are those of the project; nil if connections name them.
  package var implicitOutput: String?
  /// The number of channels that the project is repeated for; nil if it is not repeated.
  package var streamChannelCount: Int?
  /// The number of independent chains of a series.
  package var chainCount = 1
  /// The input of each chain of a series, from 0, whose channels it has.
  package var chainInputs: [Int] = []
  /// The output of each chain of a series, from 0, whose channels it has.
  package var chainOutputs: [Int] = []
  /// The linear gain at the end of each chain of a series, 0 or above; 1 for chains without one.
  package var chainGains: [Double] = []
  /// How the nodes are connected.
  package var topology = Topology.connections
  /// In beats per minute; nil for the default.
  package var tempo: Double?
  /// The number of beats of a bar; nil for the default.
  package var beatsPerBar: Int?
  /// In Hz; nil for that of the device.
  package var sampleRateHz: Int?
  /// Whether parameters that follow the sample rate are written as shares of it.
  package var dividesByRate = false
  /// Whether a MIDI control of a switch ignores its range.
  package var switchesIgnoreRange = false
  /// Notes about parts that the reader did not import.
  package var notes: [ImportNote] = []

  /// Whether the project has more nodes than a rig may have, so that no more need to be read.
  var isFull: Bool { nodes.count > ProjectResolver.nodeLimit }

  /// Adds a connection; a note if there are too many.
  mutating func connect(_ connection: Connection) {
    guard connections.count < ProjectResolver.connectionLimit else {
      let note = ImportNote("", .tooManyConnections(limit: ProjectResolver.connectionLimit))
      if notes.last != note { notes.append(note) }
      return
    }
    connections.append(connection)
  }

  /// An empty project.
  package init(format: String, name: String) { (self.format, self.name) = (format, name) }
}
