// RigPlan.swift: a rig with resolved plugins and channels. SPDX-License-Identifier: MIT

package import Manifests
package import PluginModel
package import RenderGraph
package import RigSchema

/// The plan of a rig whose plugins and channel counts are known.
///
/// It contains nodes with values, and connections between single channels. Nothing is opened or created for it.
package struct RigPlan: Sendable, Equatable {
  /// A node of the rig.
  package struct PlannedNode: Sendable, Equatable {
    /// The name in connections.
    package var name: String
    /// The plugin or built-in node.
    package var plugin: PluginDescription
    /// The number of parallel instances.
    package var instanceCount: Int
    /// The initial preset of every instance.
    package var preset: PluginPreset?
    /// The directory with the state that every instance loads after its preset.
    package var stateDirectory: String?
    /// Other parameter values, by index in the plugin's `parameters`.
    package var values: [Value]
    /// Initial properties, by index in the plugin's `properties`.
    package var properties: [PropertySetting] = []
    /// The automation lanes of its parameters.
    package var lanes: [AutomationLane] = []
    /// In which process every instance runs; never `automatic`.
    package var isolation = NodeIsolation.off
    /// Why it is isolated without a request; nil otherwise.
    package var isolationReason: IsolationReason?
    /// Whether every instance runs in a sandbox.
    package var isSandboxed = false
  }

  /// A property's value.
  package struct PropertySetting: Sendable, Equatable {
    /// The index in the plugin's `properties`.
    package var property: Int
    /// A legal value of the property's type.
    package var value: PropertyValue

    /// Creates a property value.
    package init(property: Int, value: PropertyValue) {
      (self.property, self.value) = (property, value)
    }
  }

  /// A parameter's value.
  package struct Value: Sendable, Equatable {
    /// The index in the plugin's `parameters`.
    package var parameter: Int
    /// A legal value in the unit of the parameter.
    package var value: Float

    /// Creates a parameter value.
    package init(parameter: Int, value: Float) {
      (self.parameter, self.value) = (parameter, value)
    }
  }

  /// A channel, from 0, of the rig (`node` is nil) or of a node, over all instances.
  package struct Channel: Sendable, Equatable, Hashable {
    /// The index of the node in `nodes`; nil for the input or output of the rig.
    package var node: Int?
    /// The channel: for each instance, first its audio ports and then its CV ports.
    package var index: Int
  }

  /// A connection between two channels.
  package struct Link: Sendable, Equatable {
    /// The source.
    package var from: Channel
    /// The sink.
    package var to: Channel
    /// The linear gain.
    package var gain: Float
    /// The delay in seconds; nil for a connection without its own delay.
    package var delaySeconds: Double?
    /// Whether the connection is delayed and closes a loop.
    package var closesLoop = false
    /// The automated gain, a further factor.
    package var factors: [GainFactor] = []

    /// Returns the total delay of two consecutive links.
    func delay(behind other: Link) -> Double? {
      guard let ownDelay = delaySeconds else { return other.delaySeconds }
      return ownDelay + (other.delaySeconds ?? 0)
    }
  }

  /// The description of a connection in the rig file.
  package struct PlannedConnection: Sendable, Equatable {
    /// The name, as in `voice -> hall`; nil for MIDI, in a nested rig, and if several have the same name.
    package var name: String?
    /// The lane of its gain, as `GainLane.name`; nil if there is none.
    package var lane: String?
  }

  /// A MIDI connection; each end is an index in `nodes`, or nil for the rig.
  package struct EventLink: Sendable, Equatable, Hashable {
    /// The source; nil for the MIDI input of the rig.
    package var from: Int?
    /// The sink; nil for the MIDI output of the rig.
    package var to: Int?
  }

  /// The nodes in rig order.
  package var nodes: [PlannedNode]
  /// The audio links in rig order.
  package var links: [Link]
  /// The MIDI connections: the explicit ones in rig order, then the implicit ones from the MIDI input to each
  /// unconnected node that takes MIDI.
  package var eventLinks: [EventLink]
  /// In the order of the rig.
  package var scenes: [ScenePlan]
  /// The MIDI mappings, in the order of the rig.
  package var maps: [MapPlan]
  /// In the order of the rig, those of MIDI too.
  package var connections: [PlannedConnection]
  /// The number of input channels.
  package var inputChannelCount: Int
  /// The number of output channels.
  package var outputChannelCount: Int
  /// The names of nested rigs, as `NestedRig.name`.
  package var nested: [String]
  /// Notes to the user.
  package var notes: [String]

  /// The shortest delay that closes a loop, which limits the block length; nil if there is none.
  package var shortestLoopSeconds: Double? {
    links.filter(\.closesLoop).compactMap(\.delaySeconds).min()
  }
  /// Whether a node uses the MIDI input of the rig.
  package var acceptsMIDI: Bool { eventLinks.contains { $0.from == nil } }
  /// Whether a node feeds the MIDI output of the rig.
  package var sendsMIDI: Bool { eventLinks.contains { $0.to == nil } }

  /// Plans a rig.
  ///
  /// - Parameters:
  ///   - rig: the rig as it was read.
  ///   - plugins: the plugin of each node, in the same order.
  ///   - presets: the preset of each node at its start, in the same order; empty for none.
  ///   - reasons: why each node is isolated if its isolation is automatic; empty for no reasons.
  ///   - inputChannelCount: the number of captured channels.
  ///   - outputChannelCount: the number of played channels; nil for as many as the audio at the output has.
  /// - Throws: every error that can be found, with its position.
  package init(
    _ rig: RigDescription, plugins: [PluginDescription], presets: [PluginPreset?] = [],
    isolatedBecause reasons: [IsolationReason?] = [], inputChannelCount: Int,
    outputChannelCount: Int?
  ) throws(ManifestError) {
    var planner = RigPlanner(rig, plugins, inputChannelCount)
    planner.resolveIsolation(reasons)
    planner.readStates(presets)
    planner.readParameters()
    planner.readProperties()
    planner.readLanes()
    planner.readScenes()
    planner.readMaps()
    planner.countInstances()
    planner.checkSingleInstance()
    self.outputChannelCount = outputChannelCount ?? planner.naturalOutputCount
    planner.outputChannelCount = self.outputChannelCount
    planner.link()
    planner.applyBypass()
    // Boundaries of nested rigs are nodes until all connections are resolved.
    connections = planner.plannedConnections()
    planner.flattenNestedRigs()
    planner.findLoops()
    guard planner.diagnostics.isEmpty else { throw ManifestError(planner.diagnostics) }
    nodes = planner.nodes
    links = planner.links
    eventLinks = planner.eventLinks
    scenes = planner.scenes
    maps = planner.maps
    self.inputChannelCount = inputChannelCount
    nested = rig.nested.map(\.name)
    notes = planner.notes
  }
}

extension [AudioPort] {
  /// Returns whether a connection that names no ports uses a port of this side of a plugin. [any]
  ///
  /// Ports of other groups, such as side chains, must be named.
  package func isUnnamedPort(_ port: AudioPort) -> Bool {
    contains(where: \.isMain) ? port.isMain : port.group == first?.group
  }
}
