// RigBuilder.swift: construction of a graph from a rig plan. SPDX-License-Identifier: MIT

package import ErrorModel
import FoundationEssentials
import Glibc
package import PluginModel
package import RenderGraph

/// A graph of a rig, with its nodes by name.
package struct BuiltRig {
  /// An instance of a node of the rig.
  package struct BuiltNode {
    /// The name of the node in the rig.
    package var name: String
    /// The plan of the node.
    package var plugin: PluginDescription
    /// One node per instance.
    package var nodes: [any Node]
  }

  /// The graph, ready to be compiled.
  package var graph: Graph
  /// The members in rig order.
  package var members: [BuiltNode]
  /// The processors of delayed connections, which are not members.
  package var lines: [ConnectionDelay] = []
  /// The automated gains, which are not members.
  package var gains: [AutomatedGain] = []
}

/// Why a node of a rig did not take one of its properties.
package struct NodePropertyError: Equatable {
  let node: String
  let error: PropertyError

  /// The message, which starts with the node name.
  package var description: String { "\(node): \(error)" }
}

/// Makes the nodes of a plan and connects them.
package enum RigBuilder {
  /// Builds a graph whose nodes have their values and are active. [main]
  ///
  /// - Parameters:
  ///   - plan: the plan of the rig.
  ///   - configuration: the sample rate and the longest block.
  ///   - outputGuard: an active node that is connected before the graph's outputs; nil for none.
  ///     Its inputs are the rig's outputs, then the captured channels; its outputs are the graph's
  ///     outputs. It is not a member.
  ///   - kept: for each node of the plan, the active instances that exist already; none for new
  ///     nodes.
  ///   - old: the graph of these instances: lanes continue if they are the same.
  ///   - known: the existing delays of connections.
  ///   - knownGains: the existing automated gains.
  ///   - makeNode: creates an instance of a plugin.
  /// - Returns: the graph and its nodes.
  /// - Throws: errors of `makeNode` and of activation.
  package static func build(
    _ plan: RigPlan, _ configuration: NodeConfiguration, outputGuard: (any Node)? = nil,
    keeping kept: [Int: [any Node]] = [:], from old: Graph? = nil,
    lines known: [ConnectionDelay] = [], gains knownGains: [AutomatedGain] = [],
    makeNode: (PluginDescription, NodeConfiguration) throws -> any Node
  ) throws -> BuiltRig {
    var graph = Graph(
      inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount)
    var members: [BuiltRig.BuiltNode] = []
    var identifiers: [[Graph.NodeID]] = []
    for (index, planned) in plan.nodes.enumerated() {
      let nodes =
        try kept[index]
        ?? (0 ..< planned.instanceCount).map { _ in
          try ForeignCode.$node.withValue(planned.name) {
            try activeNode(planned, configuration, makeNode)
          }
        }
      members.append(BuiltRig.BuiltNode(name: planned.name, plugin: planned.plugin, nodes: nodes))
      identifiers.append(
        nodes.enumerated().map { index, node in
          let suffix = nodes.count > 1 ? "/\(index + 1)" : ""
          return graph.add(node, named: planned.name + suffix)
        })
    }
    let guardID = try outputGuard.map { try insertBeforeOutputs($0, plan, &graph) }
    var lines = ConnectionDelays(
      known, sampleRateHz: configuration.sampleRateHz,
      maximumFrameCount: configuration.maximumFrameCount)
    var gains = AutomatedGains(knownGains, configuration)
    for link in plan.links {
      var target = sink(link.to, plan, identifiers)
      if let guardID, case .output(let channel) = target {
        target = .node(guardID, channel: channel)
      }
      let source = source(link.from, plan, identifiers)
      guard let seconds = link.delaySeconds else {
        let moved = try gains.gainStage(source, link, plan, in: &graph)
        try graph.connect(moved.source, to: target, gain: link.gain * moved.gain)
        continue
      }
      let name = (node: link.from.node.map { plan.nodes[$0].name }, channel: link.from.index)
      let exit = try lines.delayedSource(
        of: source, named: name, seconds: seconds, closesLoop: link.closesLoop, in: &graph)
      // The delay is added to the alignment of parallel paths. A loop cannot be aligned.
      let compensation = link.closesLoop ? 0 : nil
      let moved = try gains.gainStage(exit, link, plan, in: &graph, delayFrames: compensation)
      try graph.connect(
        moved.source, to: target, gain: link.gain * moved.gain, delayFrames: compensation)
    }
    for link in plan.eventLinks {
      for source in sources(link, graph, identifiers) {
        for sink in sinks(link, graph, identifiers) { try graph.connectEvents(source, to: sink) }
      }
    }
    automate(&graph, members, plan, configuration, from: old)
    return BuiltRig(graph: graph, members: members, lines: lines.lines, gains: gains.gains)
  }

  /// Returns all instances that send MIDI; a description can claim more than the instance has.
  private static func sources(
    _ link: RigPlan.EventLink, _ graph: Graph, _ identifiers: [[Graph.NodeID]]
  ) -> [Graph.EventSource] {
    guard let node = link.from else { return [.input] }
    let able = Set(graph.nodes.filter { unsafe $0.node.eventOutput != nil }.map(\.id))
    return identifiers[node].filter(able.contains).map { .node($0) }
  }

  /// Returns all instances that take MIDI.
  private static func sinks(
    _ link: RigPlan.EventLink, _ graph: Graph, _ identifiers: [[Graph.NodeID]]
  ) -> [Graph.EventSink] {
    guard let node = link.to else { return [.output] }
    let able = Set(graph.nodes.filter { $0.node.eventInput != nil }.map(\.id))
    return identifiers[node].filter(able.contains).map { .node($0) }
  }

  /// Connects a node between the graph and its outputs, and the graph's inputs to the node.
  private static func insertBeforeOutputs(
    _ node: any Node, _ plan: RigPlan, _ graph: inout Graph
  ) throws -> Graph.NodeID {
    let identifier = graph.add(node, named: "guard")
    for channel in 0 ..< plan.inputChannelCount {
      try graph.connect(
        .input(channel: channel),
        to: .node(identifier, channel: plan.outputChannelCount + channel))
    }
    for channel in 0 ..< plan.outputChannelCount {
      try graph.connect(.node(identifier, channel: channel), to: .output(channel: channel))
    }
    return identifier
  }

  /// Creates and activates an instance of a node: first its preset, then its state, then its values. [main]
  package static func activeNode(
    _ planned: RigPlan.PlannedNode, _ configuration: NodeConfiguration,
    _ makeNode: (PluginDescription, NodeConfiguration) throws -> any Node
  ) throws -> any Node {
    var configuration = configuration
    planned.configure(&configuration)
    let node = try makeNode(planned.plugin, configuration)
    // The plan has neither for nodes without them.
    if let preset = planned.preset { try node.capabilities.presets?.load(preset) }
    if let directory = planned.stateDirectory {
      try node.capabilities.directoryState?.restoreState(from: directory)
    }
    for value in planned.values { node.setParameter(value.parameter, to: value.value) }
    for lane in planned.lanes { node.setParameter(lane.parameter, to: lane.points[0].value) }
    for setting in planned.properties {
      do throws(PropertyError) {
        try node.capabilities.properties?.setProperty(setting.property, to: setting.value)
      } catch {
        throw NodePropertyError(node: planned.name, error: error)
      }
    }
    try node.activate()
    return node
  }

  private static func source(
    _ channel: RigPlan.Channel, _ plan: RigPlan, _ identifiers: [[Graph.NodeID]]
  ) -> Graph.Source {
    guard let node = channel.node else { return .input(channel: channel.index) }
    let width = plan.nodes[node].plugin.outputCount
    return .node(identifiers[node][channel.index / width], channel: channel.index % width)
  }

  private static func sink(
    _ channel: RigPlan.Channel, _ plan: RigPlan, _ identifiers: [[Graph.NodeID]]
  ) -> Graph.Sink {
    guard let node = channel.node else { return .output(channel: channel.index) }
    let width = plan.nodes[node].plugin.inputCount
    return .node(identifiers[node][channel.index / width], channel: channel.index % width)
  }
}

extension NodePropertyError: HostError {
  /// All errors of a build are errors of the request.
  package var kind: ErrorKind { .usage }
}
