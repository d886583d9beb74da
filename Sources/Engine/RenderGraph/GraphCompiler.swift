// GraphCompiler.swift: compiles the edited graph to a render sequence. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RealtimeKit

/// Compiles a graph to a render sequence for one engine.
///
/// Nodes are sorted so that each comes after the nodes that feed it. Where paths of different
/// latency meet, the earlier ones are delayed. Sums and fan-outs are computed once. Values whose
/// lifetimes do not overlap share buffers. The result is a flat array of steps in one allocation.
package enum GraphCompiler {
  /// Compiles a graph whose nodes are active.
  ///
  /// The sequence reads the engine's inputs and writes its outputs, and may be installed in that
  /// engine only. [main]
  ///
  /// - Precondition: the graph and the engine have the same number of channels.
  /// - Throws: `GraphError.loop`, with the names of the nodes.
  package static func compile(_ graph: Graph, for engine: Engine) throws(GraphError)
    -> CompiledGraph
  {
    compile(Draft(graph: graph, order: try GraphOrder(graph)), for: engine)
  }

  /// A graph with everything that its render sequence is made from.
  struct Draft {
    var graph: Graph
    var order: GraphOrder
    /// The MIDI sinks whose notes are ended.
    var silenced: [Graph.EventSink] = []
    /// The nodes that only render their tails, whose output level is measured.
    var ringing: Set<Int> = []
    /// The new nodes, which warm up before they are audible.
    var fresh: Set<Int> = []
    /// The nodes that are bypassed because of a fault.
    var faulty: Set<ObjectIdentifier> = []
    /// The state that is taken over from the previous render sequence.
    var carried = RetainedState()
  }

  /// Compiles a draft. [main]
  static func compile(_ draft: Draft, for engine: Engine) -> CompiledGraph {
    let graph = draft.graph
    precondition(
      graph.inputChannelCount == engine.settings.inputChannelCount
        && graph.outputChannelCount == engine.settings.outputChannelCount,
      "a graph can be compiled only for an engine of its shape")
    for (vertex, latency) in zip(graph.vertices, draft.order.inputLatency) {
      vertex.node.setInputLatency(frameCount: latency)
      guard let automation = graph.automation(of: vertex.node) else { continue }
      automation.setInputLatency(frameCount: latency)
      automation.setEngine(engine.events)
    }
    var plan = StepPlan(
      graph, draft.order, silenced: draft.silenced, ringing: draft.ringing, fresh: draft.fresh)
    let tasks = engine.pool == nil ? nil : TaskPlan(plan, nodeCount: graph.vertices.count)
    if let tasks { plan.arrange(tasks.order) }
    let assignment = BufferAssignment(plan, tasks) { graph.vertices[$0].node.canRunInPlace }
    var builder = RenderSequenceBuilder(draft, plan, assignment, engine, tasks)
    for step in plan.steps { builder.add(step) }
    return builder.finish(latencyFrames: draft.order.totalLatency)
  }
}
