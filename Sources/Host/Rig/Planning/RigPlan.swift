// RigPlan.swift: a rig with its plugins known, channel by channel. SPDX-License-Identifier: MIT

package import PluginModel
package import RenderGraph

/// What a rig amounts to once its plugins and its number of channels are known.
///
/// Nodes with their values, and connections between single channels. Nothing is opened or
/// instantiated for it.
package struct RigPlan: Sendable, Equatable {
  /// A node of the rig.
  package struct PlannedNode: Sendable, Equatable {
    /// The name that connections use.
    package var name: String
    /// The plugin or built-in.
    package var plugin: PluginDescription
    /// How many instances run side by side.
    package var instanceCount: Int
    /// The preset that every instance begins with.
    package var preset: PluginPreset?
    /// The folder with the state that every instance is given then.
    package var stateFolder: String?
    /// Values that differ from all that, by their place in the plugin's `parameters`.
    package var values: [Value]
    /// Properties that are set at the start, by their place in the plugin's `properties`.
    package var properties: [PropertySetting] = []
    /// What moves its parameters.
    package var lanes: [AutomationLane] = []
  }

  /// A property's value.
  package struct PropertySetting: Sendable, Equatable {
    /// Its place in the plugin's `properties`.
    package var property: Int
    /// Of the property's type, and legal for it.
    package var value: PropertyValue

    /// A property and its value.
    package init(property: Int, value: PropertyValue) {
      (self.property, self.value) = (property, value)
    }
  }

  /// A parameter's value.
  package struct Value: Sendable, Equatable {
    /// Its place in the plugin's `parameters`.
    package var parameter: Int
    /// In the parameter's unit, legal for it.
    package var value: Float

    /// A parameter and its value.
    package init(parameter: Int, value: Float) {
      (self.parameter, self.value) = (parameter, value)
    }
  }

  /// One channel, counted from 0, of the rig (`node` is nil) or of a node, over all its instances.
  package struct Channel: Sendable, Equatable, Hashable {
    /// The node's place in `nodes`; nil for the rig's own input or output.
    package var node: Int?
    /// The channel, instance after instance, of each the audio ports and then its control voltages.
    package var index: Int
  }

  /// One channel feeding another.
  package struct Link: Sendable, Equatable {
    /// Where the sound comes from.
    package var from: Channel
    /// Where it goes.
    package var to: Channel
    /// Linear.
    package var gain: Float
    /// How long it takes, in seconds; nil for no time, but what lines it up with others.
    package var delaySeconds: Double?
    /// Whether it takes time and the sound gets back to where it comes from.
    package var closesLoop = false
    /// What the gain is multiplied with that moves.
    package var factors: [GainFactor] = []

    /// The time of two links after one another.
    func delay(behind other: Link) -> Double? {
      guard let mine = delaySeconds else { return other.delaySeconds }
      return mine + (other.delaySeconds ?? 0)
    }
  }

  /// What can be said of a connection as it is written.
  package struct PlannedConnection: Sendable, Equatable {
    /// Its name, as in `voice -> hall`; nil for MIDI, in a rig within, and for one of several alike.
    package var name: String?
    /// The lane that moves its gain, as `GainLane.name`; nil for none.
    package var lane: String?
  }

  /// MIDI from one place to another: each a node's place in `nodes`, or nil for the rig's own.
  package struct EventLink: Sendable, Equatable, Hashable {
    /// Where it comes from; nil for the rig's MIDI input.
    package var from: Int?
    /// Where it goes; nil for the rig's MIDI output.
    package var to: Int?
  }

  /// In the order of the rig.
  package var nodes: [PlannedNode]
  /// In the order of the rig.
  package var links: [Link]
  /// Those that are written, in the order of the rig, then those that go without saying: from the
  /// rig's input to every node that takes MIDI and is given none.
  package var eventLinks: [EventLink]
  /// In the order of the rig.
  package var scenes: [ScenePlan]
  /// In the order of the rig, those of MIDI too.
  package var connections: [PlannedConnection]
  /// Channels that come in.
  package var inputChannelCount: Int
  /// Channels that go out.
  package var outputChannelCount: Int
  /// Names of the rigs within, as `NestedRig.name`.
  package var nested: [String]
  /// What is legal but worth saying, one sentence each.
  package var notes: [String]

  /// The shortest delay that closes a loop, which no block may be longer than; nil if there is none.
  package var shortestLoopSeconds: Double? {
    links.filter(\.closesLoop).compactMap(\.delaySeconds).min()
  }
  /// Whether any node hears the rig's MIDI input.
  package var takesMIDI: Bool { eventLinks.contains { $0.from == nil } }
  /// Whether anything goes to the rig's MIDI output.
  package var sendsMIDI: Bool { eventLinks.contains { $0.to == nil } }

  /// Plans a rig.
  ///
  /// - Parameters:
  ///   - rig: as it was read.
  ///   - plugins: what each of its nodes is, in the same order.
  ///   - presets: which preset each of its nodes begins with, in the same order; empty for none.
  ///   - inputChannelCount: how many channels come in.
  ///   - outputChannelCount: how many go out; nil for as many as the sound that arrives there has.
  /// - Throws: every mistake that can be found, with its place.
  package init(
    _ rig: RigDescription, plugins: [PluginDescription], presets: [PluginPreset?] = [],
    inputChannelCount: Int, outputChannelCount: Int?
  ) throws(ManifestError) {
    var planner = RigPlanner(rig, plugins, inputChannelCount)
    planner.readStates(presets)
    planner.readParameters()
    planner.readProperties()
    planner.readLanes()
    planner.readScenes()
    planner.countInstances()
    planner.checkSingles()
    self.outputChannelCount = outputChannelCount ?? planner.naturalOutputCount
    planner.outputChannelCount = self.outputChannelCount
    planner.link()
    planner.leadPast()
    // While the borders of rigs within have their places.
    connections = planner.plannedConnections()
    planner.dissolveBorders()
    planner.findLoops()
    guard planner.findings.isEmpty else { throw ManifestError(planner.findings) }
    nodes = planner.nodes
    links = planner.links
    eventLinks = planner.eventLinks
    scenes = planner.scenes
    self.inputChannelCount = inputChannelCount
    nested = rig.nested.map(\.name)
    notes = planner.notes
  }
}
