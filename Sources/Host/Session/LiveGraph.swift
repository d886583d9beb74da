// LiveGraph.swift: a rig's nodes, made for the devices that were got. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FoundationEssentials
import Glibc
import PluginModel
import Reblocking
import RenderGraph
import Rig

/// An engine with a rig's program in it, and the rig's nodes. [main]
struct LiveGraph {
  let engine: Engine
  /// What leads the engine from one graph to another.
  let editor: GraphEditor
  /// What the graph was made from.
  private(set) var plan: RigPlan
  private(set) var graph: Graph
  private(set) var members: [BuiltRig.BuiltNode]
  /// What carries connections that take their time.
  var lines: [ConnectionDelay]
  /// What moves gains by itself.
  private(set) var gains: [AutomatedGain]
  /// How the nodes were made.
  let configuration: NodeConfiguration
  /// What ends howls; nil where the rig does not want it or has no way around.
  private(set) var howlGuard: FeedbackSuppressor?
  /// What is worth knowing of how the rig was planned, one sentence each.
  let notes: [String]

  /// Frames by which plugins delay the sound.
  var latencyFrames: Int { editor.latencyFrames }

  /// Makes the nodes of a rig for a stream, and compiles them.
  ///
  /// - Throws: what the plan for the stream's channels, or a plugin, has against it.
  init(_ rig: PreparedRig, _ library: PluginLibrary, for stream: StreamDescription) throws {
    let plan = try rig.plan(for: stream)
    let transport = Transport(rig.rig.transport, sampleRateHz: stream.sampleRateHz)
    let configuration = NodeConfiguration(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames,
      isOffline: !stream.keepsPace, hasConstantBlocks: true, transport: transport)
    howlGuard = Self.howlGuard(rig, plan, stream, configuration)
    let built = try RigBuilder.build(
      plan, configuration, outputGuard: howlGuard, makeNode: Self.nodeMaker(rig, library))
    self.plan = plan
    graph = built.graph
    self.configuration = configuration
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: stream.keepsPace, guardsNodes: true,
        watchesDeadline: rig.rig.watchesDeadline && stream.keepsPace,
        watchesOffset: rig.rig.guardsAgainstOffset, silencesFaultyInputs: true,
        threads: .live(rig.rig.threadCount),
        rememberedSeconds: BlackBoxTrigger.seconds),
      transport: transport)
    // What is rendered is heard once all that lies in the device's buffer before it has been played.
    if let output = stream.output {
      engine.setMIDIOutputDelay(frameCount: max(0, output.bufferFrames - output.periodFrames))
    }
    editor = try GraphEditor(built.graph, engine)
    members = built.members
    lines = built.lines
    gains = built.gains
    notes = plan.notes + built.members.compactMap { Self.delayNote($0, stream) }
  }

  /// What ends howls, where the rig wants it and an input can hear an output.
  static func howlGuard(
    _ rig: PreparedRig, _ plan: RigPlan, _ stream: StreamDescription,
    _ configuration: NodeConfiguration
  ) -> FeedbackSuppressor? {
    let microphones = AcousticPath.microphones(in: stream)
      .filter { $0 < plan.inputChannelCount }
    guard !microphones.isEmpty, AcousticPath.hasLoudspeaker(stream), plan.outputChannelCount > 0,
      rig.rig.guardsAgainstHowls
    else { return nil }
    return FeedbackSuppressor(
      captureCount: plan.inputChannelCount, outputCount: plan.outputChannelCount,
      microphones: microphones, configuration)
  }

  /// What makes a rig's nodes, those that may be replaced in something that replaces them.
  static func nodeMaker(
    _ rig: PreparedRig, _ library: PluginLibrary
  ) -> (PluginDescription, NodeConfiguration) throws -> any Node {
    let makeNode = rig.nodeMaker(library)
    return { plugin, configuration in
      let node = try makeNode(plugin, configuration)
      return library.mayBeReplaced(plugin) ? HotSwapNode(node, configuration) : node
    }
  }

  /// What it costs a node to be given blocks that its plugin wants; nil where it costs nothing.
  private static func delayNote(
    _ member: BuiltRig.BuiltNode, _ stream: StreamDescription
  ) -> String? {
    func rounded(_ frames: Int) -> Double {
      (Double(frames) / stream.sampleRateHz * 10_000).rounded() / 10
    }
    guard let node = member.nodes.first?.inside as? any ReblockedNode,
      node.adapterLatencyFrames > 0
    else { return nil }
    let delay = rounded(node.adapterLatencyFrames)
    if let rate = node.rateAdapter {
      return
        "\(member.name) runs at \(Int(rate.innerRateHz)) Hz; resampling adds \(delay) ms. Use a"
        + " rig at that rate to avoid this."
    }
    guard let adapter = node.adapter else { return nil }
    return
      "\(member.name) needs blocks of \(adapter.shape.frameCount) frames; buffering adds"
      + " \(delay) ms. Use `--period \(adapter.shape.frameCount)` to avoid this."
  }

  /// Whether a plugin listens to how long blocks are.
  var hearsBlockLength: Bool {
    listeners.contains(where: \.hearsBlockLength)
  }

  /// Tells those that listen how long blocks are from now on. [main, not rendering]
  func tellBlockLength(_ frameCount: Int) {
    for node in listeners { _ = node.blockLengthChanged(to: frameCount) }
  }

  private var listeners: [any BlockLengthObserver] {
    members.flatMap(\.nodes).compactMap { $0 as? any BlockLengthObserver }
  }

  /// Takes over what the nodes of another graph of the same rig were set to and remember, and its
  /// musical time.
  ///
  /// Neither is rendering. A node that does not take the state starts afresh.
  func adopt(_ other: LiveGraph) {
    if let old = other.engine.transport { engine.transport?.proceed(from: old) }
    for (mine, theirs) in zip(members, other.members) {
      for (node, old) in zip(mine.nodes, theirs.nodes) {
        guard mine.plugin == theirs.plugin else {
          LiveSession.carryOver(from: old, theirs.plugin, to: node, mine.plugin)
          continue
        }
        for index in mine.plugin.parameters.indices {
          node.setParameter(index, to: old.parameter(index))
        }
        adoptProperties(of: old, node, mine.plugin)
        if let old = old as? any StatefulNode, let bytes = old.save() {
          try? (node as? any StatefulNode)?.restore(bytes)
        }
        try? (node as? any StateTransferNode)?.adoptState(of: old)
      }
    }
  }

  /// What the plugin changed by itself is not given back to it.
  private func adoptProperties(
    of old: any Node, _ node: any Node, _ plugin: PluginDescription
  ) {
    guard let old = old.inside as? any PropertyNode, let node = node.inside as? any PropertyNode
    else { return }
    for (index, property) in plugin.properties.enumerated() where property.isWritable {
      // One that finds no room keeps its start value, as a state that is not taken does.
      if let value = old.property(index) { try? node.setProperty(index, to: value) }
    }
  }

  /// The values of all properties that are known, in the order of the rig. [main]
  func propertyValues() -> [PropertyReport] {
    propertyNodes.flatMap { name, node, plugin in
      plugin.properties.indices.compactMap { index in
        node.property(index).map { PropertyReport(name, plugin.properties[index], $0) }
      }
    }
  }

  /// The properties that plugins have told another value of since the last call. [main]
  func takePropertyChanges() -> [PropertyReport] {
    propertyNodes.flatMap { name, node, plugin in
      node.takePropertyChanges().compactMap { index in
        node.property(index).map { PropertyReport(name, plugin.properties[index], $0) }
      }
    }
  }

  /// Those that have any, with the names that they are known by.
  private var propertyNodes: [(String, any PropertyNode, PluginDescription)] {
    members.flatMap { member in
      member.instances.compactMap { name, node in
        guard let node = node.inside as? any PropertyNode, !member.plugin.properties.isEmpty else {
          return nil
        }
        return (name, node, member.plugin)
      }
    }
  }

  /// Notes that members are another plugin now, of the same shape, with the plan that has it. [main]
  mutating func setPlugin(
    _ plugin: PluginDescription, ofMembers indices: [Int], _ plan: RigPlan
  ) {
    for index in indices { members[index].plugin = plugin }
    self.plan = plan
  }

  /// Notes that a member has another property now. [main]
  mutating func noteProperty(_ property: Int, _ value: PropertyValue, ofMember index: Int) {
    plan.nodes[index].properties.removeAll { $0.property == property }
    plan.nodes[index].properties.append(.init(property: property, value: value))
  }

  /// Frees nodes that have been replaced and are heard no longer. [main]
  private func collectReplaced() {
    for member in members {
      for case let node as HotSwapNode in member.nodes where !node.isSettled { node.collect() }
    }
  }

  /// Goes over to another graph of its nodes and of new ones, which are active; `replaced` fade out and do not
  /// ring. [main]
  ///
  /// - Throws: `GraphError.loop` where that needs others in the places of some; then all is as it was.
  mutating func edit(
    to built: BuiltRig, _ plan: RigPlan, replacing replaced: [any Node],
    howlGuard: FeedbackSuppressor?
  ) throws(GraphError) {
    try editor.edit(to: built.graph, replacing: replaced)
    (graph, members, self.plan, self.howlGuard) = (built.graph, built.members, plan, howlGuard)
    (lines, gains) = (built.lines, built.gains)
  }

  /// Lines the graph up anew, where nodes delay the sound by another time than before. [main]
  func lineUp() {
    // It was no loop before.
    try? editor.edit(to: graph)
  }

  /// Goes on with what an edit has begun. [main]
  func attend() {
    collectReplaced()
    for node in editor.attend(at: ProcessInfo.processInfo.systemUptime) { node.deactivate() }
  }

  /// Ends the nodes. [main, not rendering]
  func deactivate() {
    for node in editor.end() { node.deactivate() }
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }
}
