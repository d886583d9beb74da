// GraphEditor.swift: edits a graph while it is rendered. SPDX-License-Identifier: MIT

package import PluginModel

/// Keeps an engine rendering a graph, and crossfades to edited graphs without gaps or clicks.
///
/// Parts that both graphs have keep running unchanged. Differences are crossfaded. New delays are
/// filled before any fade begins. Removed nodes render their tails until these are silent or take
/// too long. Each edit is prepared on the main thread; the audio thread takes it over between two
/// blocks. [main]
package final class GraphEditor {
  /// The latency from the inputs to the outputs, in frames.
  package var latencyFrames: Int { compiled.latencyFrames }

  private let engine: Engine
  /// The render sequence that the engine received last.
  private var compiled: CompiledGraph
  /// The graph that remains when its fades are complete.
  private var base: GraphTransition.SourceGraph
  /// The requested graph, without tails.
  private var wanted: GraphTransition.SourceGraph
  /// Whether `compiled` is the requested graph alone, without a transition to it.
  private var isPlain = true
  /// The edit that waits until a fade is complete.
  private var next: (compiled: CompiledGraph, base: GraphTransition.SourceGraph)?
  private var tails: [ObjectIdentifier: TailJudge] = [:]
  /// Removed nodes that must not render their tails.
  private var muted: Set<ObjectIdentifier> = []
  /// Nodes that are bypassed because of a fault.
  private var faulty: Set<ObjectIdentifier> = []
  /// Removed nodes, until no render sequence has them.
  private var given: [ObjectIdentifier: any Node] = [:]

  /// Compiles a graph whose nodes are active, and installs it in an engine with the same channels.
  ///
  /// - Throws: `GraphError.loop`, with the names of the nodes.
  package init(_ graph: Graph, _ engine: Engine) throws(GraphError) {
    self.engine = engine
    base = try GraphTransition.SourceGraph(graph)
    wanted = base
    compiled = GraphCompiler.compile(
      GraphCompiler.Draft(graph: base.graph, order: base.order), for: engine)
    engine.install(compiled)
  }

  /// Whether the requested graph is active, without fades or tails.
  package var isSettled: Bool {
    next == nil && base.ringing.isEmpty && given.isEmpty && engine.isSettled && isPlain
  }

  /// Crossfades to another graph, whose nodes are active.
  ///
  /// Nodes of the old graph are the same objects.
  ///
  /// An edit during a fade waits until the fade is complete; a further edit replaces the waiting
  /// one. `advance` continues with it, and returns the nodes that are no longer used.
  ///
  /// - Parameters:
  ///   - graph: the requested graph.
  ///   - replaced: nodes of the old graph that other nodes replace; they fade out and render no
  ///     tails.
  /// - Throws: `GraphError.loop`, with the names of the nodes, if the new graph or the union of
  ///   both graphs has a loop. In the second case, an edit with new objects for some of the nodes
  ///   succeeds. After an error nothing is changed.
  package func edit(to graph: Graph, replacing replaced: [any Node] = []) throws(GraphError) {
    let new = try GraphTransition.SourceGraph(graph)
    let silenced = muted.union(replaced.map { ObjectIdentifier($0) })
    let transition = try GraphTransition(from: base, to: new, silencing: silenced)
    muted = silenced
    // A waiting graph was never audible; its nodes are removed like the nodes of the old graph.
    let overtaken = (next?.base.graph.vertices ?? []) + base.graph.vertices
    wanted = new
    prepare(transition)
    removeNode(overtaken.map(\.node))
    installNext()
  }

  /// Continues an edit; called about ten times a second. [main]
  ///
  /// - Parameter seconds: the time of a monotonic clock.
  /// - Returns: nodes that no render sequence has any more, to be ended.
  package func advance(at seconds: Double) -> [any Node] {
    engine.collectRetired()
    installNext()
    if next == nil, isIdle {
      listen(at: seconds)
      if next == nil, isIdle, !isPlain { installFinalSequence() }
    }
    return takeRemovedNodes()
  }

  /// Returns the node faults that were detected since the last call, if the engine guards its
  /// nodes. [main]
  ///
  /// These nodes are bypassed for as long as they are in the graph.
  package func takeFaults() -> [DetectedFault] {
    let faults = compiled.takeFaults()
    for found in faults { faulty.insert(ObjectIdentifier(found.node)) }
    return faults
  }

  /// Returns a node that received invalid samples or a runaway level since the last call although
  /// no node sent them: the gains of connections are too high. [main]
  package func takeOverloadedNode() -> (any Node)? { compiled.takeOverloadedNode() }

  /// Returns the number of DC offsets at an output since the last call that no node caused. [main]
  package func takeUnattributedOffsets() -> Int { compiled.takeUnattributedOffsets() }

  /// Returns the number of blocks that were repaired since the last call because of invalid samples
  /// or a runaway level. [main]
  package func takeSilencedBlocks() -> Int { compiled.takeSilencedBlocks() }

  /// Whether the cost of nodes is measured, if the engine guards them.
  ///
  /// This reads the clock twice for each node.
  package var measuresNodes = false {
    didSet { compiled.measureNodes(measuresNodes) }
  }

  /// Returns the cost of nodes since the last call or the last edit; empty if it is not measured.
  /// [main]
  package func takeTimes() -> [(node: any Node, times: NodeTimes)] {
    measuresNodes ? compiled.takeTimes() : []
  }

  /// Returns the highest levels of nodes since the last call or `takeTimes`, linear; empty if they are not measured.
  /// [main]
  package func takePeaks() -> [(node: any Node, peak: Float)] {
    measuresNodes ? compiled.takePeaks() : []
  }

  /// The context of each node's step, which identifies the node in `crealtime_own_work` and in a
  /// black box. [main]
  package var contexts: [(node: any Node, context: UnsafeRawPointer)] { compiled.contexts }

  /// Drops tails and a waiting edit; nothing is rendered any more. [main, not rendering]
  ///
  /// - Returns: the removed nodes that were not returned before.
  package func end() -> [any Node] {
    defer { given = [:] }
    return Array(given.values)
  }

  /// Installs the waiting edit, unless a fade is in progress.
  private func installNext() {
    guard let (compiled, base) = next, isIdle else { return }
    install(compiled, base)
    isPlain = false
  }

  /// Whether the last render sequence is active and its fades are complete, so that an edit starts
  /// with the next block. [main]
  package var isIdle: Bool { engine.isSettled && compiled.hasFaded }

  private func prepare(_ transition: GraphTransition) {
    var draft = transition.draft
    draft.carried = compiled.carried
    draft.faulty = faulty
    next = (GraphCompiler.compile(draft, for: engine), transition.rest)
  }

  private func install(_ compiled: CompiledGraph, _ base: GraphTransition.SourceGraph) {
    compiled.measureNodes(measuresNodes)
    engine.install(compiled)
    (self.compiled, self.base, next) = (compiled, base, nil)
    tails = tails.filter { base.ringing.contains($0.key) }
  }

  /// Replaces the render sequence of a completed transition with that of the graph alone.
  private func installFinalSequence() {
    let ringing = base.graph.vertices.indices.filter {
      base.ringing.contains(ObjectIdentifier(base.graph.vertices[$0].node))
    }
    let draft = GraphCompiler.Draft(
      graph: base.graph, order: base.order, ringing: Set(ringing), faulty: faulty,
      carried: compiled.carried)
    install(GraphCompiler.compile(draft, for: engine), base)
    isPlain = true
  }

  // MARK: - Tails

  private func listen(at seconds: Double) {
    var over: Set<ObjectIdentifier> = []
    for (node, watch) in compiled.tails {
      var tail = tails[node] ?? TailJudge(at: seconds)
      tail.take(peak: watch.take(), at: seconds)
      tails[node] = tail
      if tail.isOver(at: seconds) { over.insert(node) }
    }
    // A loop is impossible, because no connection was added.
    guard !over.isEmpty,
      let transition = try? GraphTransition(
        from: base, to: wanted, silencing: over.union(muted))
    else { return }
    let before = base.graph.vertices
    prepare(transition)
    removeNode(before.map(\.node))
    installNext()
  }

  // MARK: - Nodes

  private func removeNode(_ nodes: [any Node]) {
    let keptNodes = Set(wanted.graph.vertices.map { ObjectIdentifier($0.node) })
    for node in nodes where !keptNodes.contains(ObjectIdentifier(node)) {
      given[ObjectIdentifier(node)] = node
    }
  }

  private func takeRemovedNodes() -> [any Node] {
    guard !given.isEmpty, engine.isSettled else { return [] }
    let used = Set(
      (compiled.nodes + (next?.compiled.nodes ?? []) + wanted.graph.vertices.map(\.node))
        .map { ObjectIdentifier($0) })
    let unused = given.filter { !used.contains($0.key) }
    for node in unused.keys {
      given[node] = nil
      faulty.remove(node)
      muted.remove(node)
    }
    return Array(unused.values)
  }
}
