// GraphEditor.swift: a graph that is edited while it sounds. SPDX-License-Identifier: MIT

package import PluginModel

/// Keeps an engine rendering a graph, and leads it over to another one without a gap or a click.
///
/// What both graphs have goes on untouched. What differs is faded; delays that are new are filled before
/// anything fades; nodes that are given up ring out, until they are silent or take too long. Every edit
/// is prepared here and taken over by the audio thread between two blocks. [main]
package final class GraphEditor {
  /// Frames by which the outputs are later than the inputs.
  package var latencyFrames: Int { compiled.latencyFrames }

  private let engine: Engine
  /// What the engine has been given last.
  private var compiled: CompiledGraph
  /// What that amounts to once its fades are over.
  private var base: GraphTransition.SourceGraph
  /// The graph as it is wanted, without what rings out.
  private var wanted: GraphTransition.SourceGraph
  /// Whether that is the program of the graph alone, and not one that leads over to it.
  private var isPlain = true
  /// What waits until a fade is over.
  private var next: (compiled: CompiledGraph, base: GraphTransition.SourceGraph)?
  private var tails: [ObjectIdentifier: TailJudge] = [:]
  /// Nodes that were given up and must not ring out.
  private var muted: Set<ObjectIdentifier> = []
  /// Nodes that sound goes past, as they were found at fault.
  private var faulty: Set<ObjectIdentifier> = []
  /// Nodes that were given up, until no program has them.
  private var given: [ObjectIdentifier: any Node] = [:]

  /// Compiles a graph whose nodes are active, and gives it to an engine of its shape.
  ///
  /// - Throws: `GraphError.loop`, naming the nodes.
  package init(_ graph: Graph, _ engine: Engine) throws(GraphError) {
    self.engine = engine
    base = try GraphTransition.SourceGraph(graph)
    wanted = base
    compiled = GraphCompiler.compile(
      GraphCompiler.Draft(graph: base.graph, order: base.order), for: engine)
    engine.install(compiled)
  }

  /// Whether what was wanted last is heard, and nothing fades or rings out.
  package var isSettled: Bool {
    next == nil && base.ringing.isEmpty && given.isEmpty && engine.isSettled && isPlain
  }

  /// Leads over to another graph, whose nodes are active: those of the old graph are the same objects.
  ///
  /// An edit during a fade waits until the fade is over; if there is a further one, that takes its place.
  /// `attend` goes on with it, and hands back the nodes that are no longer used.
  ///
  /// - Parameters:
  ///   - graph: what is wanted.
  ///   - replaced: nodes of the old graph in whose place others play; they fade out and do not ring.
  /// - Throws: `GraphError.loop`, naming the nodes, where the new graph has one, or where both graphs
  ///   together do: then new nodes have to stand in for some of them. All stays as it is.
  package func edit(to graph: Graph, replacing replaced: [any Node] = []) throws(GraphError) {
    let new = try GraphTransition.SourceGraph(graph)
    let silenced = muted.union(replaced.map { ObjectIdentifier($0) })
    let transition = try GraphTransition(from: base, to: new, silencing: silenced)
    muted = silenced
    // What waited is never heard; its nodes are given up as those of the old graph are.
    let overtaken = (next?.base.graph.vertices ?? []) + base.graph.vertices
    wanted = new
    prepare(transition)
    giveUp(overtaken.map(\.node))
    installNext()
  }

  /// Goes on with what is under way; to be called about ten times a second. [main]
  ///
  /// - Parameter seconds: the time, by a clock that does not jump.
  /// - Returns: nodes that no program has any more, to be ended.
  package func attend(at seconds: Double) -> [any Node] {
    engine.collectRetired()
    installNext()
    if next == nil, isAtRest {
      listen(at: seconds)
      if next == nil, isAtRest, !isPlain { clean() }
    }
    return takeUnused()
  }

  /// Nodes that were found at fault since the last call, where the engine guards them. [main]
  ///
  /// They are heard no more, and what they hear goes past them for as long as they are in the graph.
  package func takeFaults() -> [DetectedFault] {
    let faults = compiled.takeFaults()
    for found in faults { faulty.insert(ObjectIdentifier(found.node)) }
    return faults
  }

  /// A node that received what cannot be sound since the last call, though no node put that out: the gains of
  /// connections did. [main]
  package func takeOverloadedNode() -> (any Node)? { compiled.takeOverloadedNode() }

  /// Offsets that reached an output since the last call, and come from no node. [main]
  package func takeStrayOffsets() -> Int { compiled.takeStrayOffsets() }

  /// Blocks that were repaired since the last call, as what came out could not be sound. [main]
  package func takeSilencedBlocks() -> Int { compiled.takeSilencedBlocks() }

  /// Whether it is measured what nodes cost, where the engine guards them: at the price of two looks at
  /// the clock for each. [main]
  package var measuresNodes = false {
    didSet { compiled.measureNodes(measuresNodes) }
  }

  /// What nodes cost since the last call, or since the last edit; empty where nobody measures. [main]
  package func takeTimes() -> [(node: any Node, times: NodeTimes)] {
    measuresNodes ? compiled.takeTimes() : []
  }

  /// What the step of each node works on, which is what `crealtime_own_work` and a black box know it by. [main]
  package var contexts: [(node: any Node, context: UnsafeRawPointer)] { compiled.contexts }

  /// Gives everything up that rings out or waits; nothing is rendered any more. [main, not rendering]
  ///
  /// - Returns: the nodes that were given up and not handed back.
  package func end() -> [any Node] {
    defer { given = [:] }
    return Array(given.values)
  }

  /// Gives the engine what waits, unless something fades.
  private func installNext() {
    guard let (compiled, base) = next, isAtRest else { return }
    install(compiled, base)
    isPlain = false
  }

  /// Whether the engine renders what it was given last, and that has faded: an edit is heard from the next
  /// block on. [main]
  package var isAtRest: Bool { engine.isSettled && compiled.hasFaded }

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

  /// Puts the plain program of the graph in the place of one that led over to it.
  private func clean() {
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
    // A loop is out of the question: nothing is connected that was not.
    guard !over.isEmpty,
      let transition = try? GraphTransition(
        from: base, to: wanted, silencing: over.union(muted))
    else { return }
    let before = base.graph.vertices
    prepare(transition)
    giveUp(before.map(\.node))
    installNext()
  }

  // MARK: - Nodes

  private func giveUp(_ nodes: [any Node]) {
    let kept = Set(wanted.graph.vertices.map { ObjectIdentifier($0.node) })
    for node in nodes where !kept.contains(ObjectIdentifier(node)) {
      given[ObjectIdentifier(node)] = node
    }
  }

  private func takeUnused() -> [any Node] {
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
