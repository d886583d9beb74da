// LiveGraph.swift: the nodes of a rig, created for the opened devices. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FoundationEssentials
import Glibc
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import Synchronization

/// The nodes of a rig and the engine that runs their render sequence. [main]
struct LiveGraph {
  let engine: Engine
  /// Switches the engine from one graph to another.
  let editor: GraphEditor
  /// The plan of the graph.
  private(set) var plan: RigPlan
  private(set) var graph: Graph
  private(set) var members: [BuiltRig.BuiltNode]
  /// The processors of delayed connections.
  var lines: [ConnectionDelay]
  /// The processors of automated gains.
  private(set) var gains: [AutomatedGain]
  /// The sample rate and block length that the nodes were created with.
  let configuration: NodeConfiguration
  /// Feedback suppression; nil if it is disabled or no acoustic path exists.
  private(set) var feedbackSuppressor: FeedbackSuppressor?
  /// Messages from the planning of the rig.
  let notes: [String]

  /// The configuration of new nodes of a member, which may have other properties than now.
  func configuration(
    ofMember index: Int, with properties: [(index: Int, value: PropertyValue)] = []
  ) -> NodeConfiguration {
    var configuration = configuration
    var planned = plan.nodes[index]
    planned.properties += properties.map { .init(property: $0.index, value: $0.value) }
    planned.configure(&configuration)
    return configuration
  }

  /// The latency of the plugins in frames.
  var latencyFrames: Int { editor.latencyFrames }

  /// The number of rendered frames since the graph was created.
  var renderedFrameCount: UInt64 {
    unsafe engine.pointer.pointee.frameCount.load(ordering: .relaxed)
  }

  /// Creates and compiles the nodes of a rig for a stream.
  ///
  /// - Throws: errors of the plan for the channels of the stream, or of a plugin.
  init(_ rig: PreparedRig, _ library: PluginLibrary, for stream: StreamDescription) throws {
    let plan = try rig.plan(for: stream)
    let transport = Transport(rig.rig.transport, sampleRateHz: stream.sampleRateHz)
    let configuration = NodeConfiguration(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames,
      isOffline: !stream.isRealTime, hasConstantBlocks: true, transport: transport)
    feedbackSuppressor = Self.feedbackSuppressor(rig, plan, stream, configuration)
    let built = try RigBuilder.build(
      plan, configuration, outputGuard: feedbackSuppressor, makeNode: Self.nodeMaker(rig, library))
    self.plan = plan
    graph = built.graph
    self.configuration = configuration
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: stream.isRealTime, guardsNodes: true,
        watchesDeadline: rig.rig.watchesDeadline && stream.isRealTime,
        watchesOffset: rig.rig.guardsAgainstOffset, silencesFaultyInputs: true,
        threads: .live(rig.rig.threadCount),
        rememberedSeconds: BlackBoxTrigger.seconds),
      transport: transport)
    // Rendered audio is audible after the audio in the device buffer has been played.
    if let output = stream.output {
      engine.setMIDIOutputDelay(frameCount: max(0, output.bufferFrames - output.periodFrames))
    }
    editor = try GraphEditor(built.graph, engine)
    members = built.members
    lines = built.lines
    gains = built.gains
    notes =
      plan.notes + plan.nodes.compactMap(Self.isolationNote)
      + built.members.compactMap { Self.delayNote($0, stream) } + built.members.sandboxGaps
  }

  /// Returns feedback suppression if it is enabled and an input can capture an output.
  static func feedbackSuppressor(
    _ rig: PreparedRig, _ plan: RigPlan, _ stream: StreamDescription,
    _ configuration: NodeConfiguration
  ) -> FeedbackSuppressor? {
    let microphones = AcousticPath.microphones(in: stream)
      .filter { $0 < plan.inputChannelCount }
    guard !microphones.isEmpty, AcousticPath.hasLoudspeaker(stream), plan.outputChannelCount > 0,
      rig.rig.suppressesFeedback
    else { return nil }
    return FeedbackSuppressor(
      captureCount: plan.inputChannelCount, outputCount: plan.outputChannelCount,
      microphones: microphones, configuration)
  }

  /// Creates the nodes of a rig.
  ///
  /// Replaceable nodes get a wrapper.
  static func nodeMaker(
    _ rig: PreparedRig, _ library: PluginLibrary
  ) -> (PluginDescription, NodeConfiguration) throws -> any Node {
    let makeNode = rig.nodeMaker(library)
    return { plugin, configuration in
      let node = try makeNode(plugin, configuration)
      return library.isHotSwappable(plugin) ? HotSwapNode(node, configuration) : node
    }
  }

  /// Returns why a node is isolated without a request; nil if it is not.
  static func isolationNote(_ node: RigPlan.PlannedNode) -> String? {
    node.isolationReason.map { "\(node.name) runs in a worker process, because \($0.text)." }
  }

  /// Returns the latency that a node needs for its block length; nil if it is 0.
  private static func delayNote(
    _ member: BuiltRig.BuiltNode, _ stream: StreamDescription
  ) -> String? {
    func rounded(_ frames: Int) -> Double {
      (Double(frames) / stream.sampleRateHz * 10_000).rounded() / 10
    }
    guard let adaptation = member.nodes.first?.capabilities.adaptation, adaptation.latencyFrames > 0
    else { return nil }
    let delay = rounded(adaptation.latencyFrames)
    if let rateHz = adaptation.rateHz {
      return
        "\(member.name) runs at \(Int(rateHz)) Hz; resampling adds \(delay) ms. Use a"
        + " rig at that rate to avoid this."
    }
    guard let frames = adaptation.blockFrames else { return nil }
    return
      "\(member.name) needs blocks of \(frames) frames; buffering adds"
      + " \(delay) ms. Use `--period \(frames)` to avoid this."
  }

  /// Whether a plugin wants to know the block length.
  var observesBlockLength: Bool {
    listeners.contains(where: \.observesBlockLength)
  }

  /// Sets the block length of nodes that want to know it. [main, not rendering]
  func notifyBlockLength(_ frameCount: Int) {
    for node in listeners { _ = node.blockLengthChanged(to: frameCount) }
  }

  private var listeners: [any BlockLengthObserver] {
    members.flatMap(\.nodes).compactMap(\.capabilities.blockLength)
  }

  /// Copies the node values, node states and the transport position from another graph of the same rig.
  ///
  /// Neither graph may be rendering. A node that rejects the state starts with its initial state.
  func adopt(_ other: LiveGraph) {
    if let old = other.engine.transport { engine.transport?.proceed(from: old) }
    for (mine, theirs) in zip(members, other.members) {
      for (node, old) in zip(mine.nodes, theirs.nodes) {
        guard mine.plugin == theirs.plugin else {
          ActiveRig.transferParameters(from: old, theirs.plugin, to: node, mine.plugin)
          continue
        }
        for index in mine.plugin.parameters.indices {
          node.setParameter(index, to: old.parameter(index))
        }
        adoptProperties(of: old, node, mine.plugin)
        let capabilities = node.capabilities
        if let bytes = old.capabilities.state?.save() { try? capabilities.state?.restore(bytes) }
        try? capabilities.stateTransfer?.copyState(from: old)
      }
    }
  }

  /// Values that the plugin itself changed are not sent back to it.
  private func adoptProperties(
    of old: any Node, _ node: any Node, _ plugin: PluginDescription
  ) {
    guard let old = old.capabilities.properties, let node = node.capabilities.properties else {
      return
    }
    for (index, property) in plugin.properties.enumerated() where property.isWritable {
      // If there is no space, the node keeps its initial value, as for a rejected state.
      if let value = old.property(index) { try? node.setProperty(index, to: value) }
    }
  }

  /// Returns the known values of all properties, in rig order. [main]
  func propertyValues() -> [PropertyReport] {
    propertyNodes.flatMap { name, node, plugin in
      plugin.properties.indices.compactMap { index in
        node.property(index).map { PropertyReport(name, plugin.properties[index], $0) }
      }
    }
  }

  /// Returns the properties that plugins have changed since the last call. [main]
  func takePropertyChanges() -> [PropertyReport] {
    propertyNodes.flatMap { name, node, plugin in
      node.takePropertyChanges().compactMap { index in
        node.property(index).map { PropertyReport(name, plugin.properties[index], $0) }
      }
    }
  }

  /// Returns the nodes with properties, with their names.
  private var propertyNodes: [(String, any PropertyNode, PluginDescription)] {
    members.flatMap { member in
      member.instances.compactMap { name, node in
        guard !member.plugin.properties.isEmpty, let node = node.capabilities.properties else {
          return nil
        }
        return (name, node, member.plugin)
      }
    }
  }

  /// Stores the new plan after members have got another plugin of the same shape. [main]
  mutating func setPlugin(
    _ plugin: PluginDescription, ofMembers indices: [Int], _ plan: RigPlan
  ) {
    for index in indices { members[index].plugin = plugin }
    self.plan = plan
  }

  /// Stores a new property value of a member. [main]
  mutating func recordProperty(_ property: Int, _ value: PropertyValue, ofMember index: Int) {
    plan.nodes[index].properties.removeAll { $0.property == property }
    plan.nodes[index].properties.append(.init(property: property, value: value))
  }

  /// Replaces the values that the rig sets by those of another plan of the same nodes, without a change of the nodes.
  ///
  /// Returns whether the nodes are the same. [main]
  mutating func replaceWrittenValues(by other: RigPlan) -> Bool {
    guard other.nodes.map(\.name) == plan.nodes.map(\.name) else { return false }
    for index in plan.nodes.indices { plan.nodes[index].values = other.nodes[index].values }
    return true
  }

  /// Frees replaced nodes that are no longer audible. [main]
  private func collectReplaced() {
    for member in members {
      for node in member.hotSwapNodes where !node.isSettled { node.collect() }
    }
  }

  /// Switches to another graph with existing and new, active nodes. [main]
  ///
  /// The `replaced` nodes fade out without their tail.
  ///
  /// - Throws: `GraphError.loop` if other nodes would have to be replaced. The graph is unchanged then.
  mutating func edit(
    to built: BuiltRig, _ plan: RigPlan, replacing replaced: [any Node],
    feedbackSuppressor: FeedbackSuppressor?
  ) throws(GraphError) {
    try editor.edit(to: built.graph, replacing: replaced)
    (graph, members, self.plan, self.feedbackSuppressor) = (
      built.graph, built.members, plan, feedbackSuppressor
    )
    (lines, gains) = (built.lines, built.gains)
  }

  /// Recompiles the graph after node latencies have changed. [main]
  func realignLatency() {
    // The graph had no loop before.
    try? editor.edit(to: graph)
  }

  /// Continues a transition that an edit has started. [main]
  func advance() {
    collectReplaced()
    for node in editor.advance(at: ProcessInfo.processInfo.systemUptime) { node.deactivate() }
  }

  /// Destroys the nodes. [main, not rendering]
  func deactivate() {
    for node in editor.end() { node.deactivate() }
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }
}
