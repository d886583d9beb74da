// LiveSession+State.swift: the published state of a session. SPDX-License-Identifier: MIT

package import AudioDriver
package import FileRecording
package import HostModel
package import PluginCatalogue
import PluginLoading
package import PluginModel
import RenderGraph
import RigPlanning
package import RigSchema
import Synchronization

extension LiveSession {
  /// A node, and its parameters.
  package struct ParameterTarget {
    /// The node's name in the rig.
    package var name: String
    /// The parameters in the plugin's order.
    package var parameters: [Parameter]
    /// The instances; a `HotSwapNode` is replaced by the node that it wraps.
    package var nodes: [any Node]
    /// The automated parameters.
    package var automated: Set<Int>
  }

  /// A node of the rig, with its current values.
  package struct NodeValues: Sendable, Equatable {
    /// The node's name in the rig.
    package var name: String
    /// The plugin.
    package var plugin: PluginDescription
    /// The value of each parameter, in the plugin's order.
    package var values: [Float]
  }

  /// A scene of the rig.
  package struct Scene: Sendable, Equatable {
    /// The name of the scene.
    package var name: String
    /// The default duration of its recall, in seconds; nil for an immediate recall.
    package var overSeconds: Double?
    /// Whether it was recalled or stored last.
    package var isCurrent: Bool
  }

  // MARK: - Stream

  /// The number of rendered frames; restarts at 0 with a graph of another sample rate. [main]
  package var renderedFrameCount: UInt64 { graph.renderedFrameCount }
  /// The parameters of the opened devices.
  package var stream: StreamDescription { driver.stream }
  /// The xruns, lost frames and failures so far.
  package var status: DriverStatus { loop.status }
  /// The plugin fault that ends the session; nil if there is none.
  package var fault: FatalFault? { loop.fault }
  /// The number of threads that have rendered; 1 until there is enough work for more. [main]
  package var usedThreadCount: Int { graph.engine.usedThreadCount }
  /// The latency of the plugins, in frames.
  package var latencyFrames: Int { graph.latencyFrames }
  /// The active and completed recordings, oldest first. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }
  /// Whether each recorder records, in the order of the rig. [main]
  package var recorderStates: [Bool] {
    graph.members.compactMap { $0.nodes.first?.abilities[Recording.self] }
      .map { $0.wanted == .recording }
  }
  /// The paths of level logs that lost lines. [main]
  package var incompleteLogs: [String] { meters.incompleteLogs }

  /// The faults of nodes since the start, by name. [main]
  package var nodeFaults: [RunRecord.NodeFaultCount] {
    active.faults.counts.sorted { $0.key < $1.key }.map { name, count in
      let member = graph.members.first { $0.name == name }
      return .init(
        node: name, plugin: member?.plugin.identifier ?? "",
        kind: active.faults.kinds[name]?.word ?? "", count: count)
    }
  }

  // MARK: - Rig

  /// The plugin formats of its library.
  package var formats: FormatRegistry { library.formats }
  /// The name of the rig.
  package var rigName: String { rig.rig.name }
  /// The nodes, in the order of the rig. [main]
  package var nodeValues: [NodeValues] { active.nodeValues }
  /// The readouts of the nodes, in the order of the rig. [main]
  package var readouts: [NodeReadouts] { graph.members.readouts() }
  /// All known property values, in the order of the rig. [main]
  package var properties: [PropertyReport] { graph.propertyValues() }
  /// The scenes in the order of the rig. [main]
  package var scenes: [Scene] { sceneControl.scenes }
  /// Whether a scene change is in progress, so that `advanceMorph` must be called repeatedly. [main]
  package var isMorphing: Bool { !sceneControl.morph.isEmpty }
  /// The revision of the history; it changes with every change of the rig, undo and redo. [main]
  package var historyNumber: Int { active.history.number }
  /// The same, counting also changes of values. [main]
  package var stepNumber: Int { active.history.stepNumber }
  /// The current rig; parameter values are in `nodeValues`. [main]
  package var currentRig: RigDescription { rig.rig }

  /// The nodes that are bypassed because of faults. [main]
  package var bypassedNodes: Set<String> { active.faults.bypassedNodes }

  /// All nodes, in the order of the rig. [main]
  package var parameterTargets: [ParameterTarget] {
    zip(graph.members, graph.plan.nodes).map { member, planned in
      ParameterTarget(
        name: member.name, parameters: member.plugin.parameters,
        nodes: member.nodes.map(\.inside), automated: Set(planned.lanes.map(\.parameter)))
    }
  }

  /// Returns the writable property values of a node, as a rig file has them. [main]
  package func propertyTexts(ofNode place: Int) -> [(uri: String, text: String)] {
    let member = graph.members[place]
    guard let node = member.nodes.first?.abilities.properties else { return [] }
    return member.plugin.properties.enumerated().compactMap { index, property in
      guard property.isWritable, let value = node.property(index) else { return nil }
      return (property.uri, value.spelling)
    }
  }

  /// Whether a connection can be named by its ends: an audio connection outside of nested rigs that
  /// leads to no command-line recorder.
  package static func isNamed(_ connection: RigConnection) -> Bool {
    connection.scope.isEmpty && !connection.carriesMIDI && !RecordingTaps.isTap(connection)
  }
}
