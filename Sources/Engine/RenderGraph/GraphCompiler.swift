// GraphCompiler.swift: compiles the edited graph to a render sequence. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RealtimeKit

/// Turns a graph into a program for one engine.
///
/// Nodes are sorted so that each comes after those that feed it; where paths of different latency
/// meet, the earlier ones are delayed; sums and fan-outs are formed once; values that do not live
/// at the same time share buffers. The result is a flat array of steps in one allocation.
package enum GraphCompiler {
  /// Compiles a graph whose nodes are active.
  ///
  /// The program reads the engine's inputs and writes its outputs, and may be installed in that
  /// engine alone. [main]
  ///
  /// - Precondition: the graph and the engine have the same number of channels.
  /// - Throws: `GraphError.loop`, naming the nodes.
  package static func compile(_ graph: Graph, for engine: Engine) throws(GraphError)
    -> CompiledGraph
  {
    compile(Draft(graph: graph, order: try GraphOrder(graph)), for: engine)
  }

  /// A graph with all that its program is made from.
  struct Draft {
    var graph: Graph
    var order: GraphOrder
    /// Sinks of MIDI whose notes are ended.
    var silenced: [Graph.EventSink] = []
    /// Nodes that are listened to.
    var ringing: Set<Int> = []
    /// Nodes that were not there before: they hear what is theirs for a while before they are heard.
    var fresh: Set<Int> = []
    /// Nodes that were found at fault: what they hear goes past them.
    var faulty: Set<ObjectIdentifier> = []
    /// What goes on from the program before.
    var carried = RetainedState()
  }

  /// Compiles what is drafted. [main]
  static func compile(_ draft: Draft, for engine: Engine) -> CompiledGraph {
    let graph = draft.graph
    precondition(
      graph.inputChannelCount == engine.settings.inputChannelCount
        && graph.outputChannelCount == engine.settings.outputChannelCount,
      "a graph can be compiled only for an engine of its shape")
    for (vertex, latency) in zip(graph.vertices, draft.order.inputLatency) {
      vertex.node.setInputLatency(frameCount: latency)
      graph.automation(of: vertex.node)?.setInputLatency(frameCount: latency)
    }
    var plan = StepPlan(
      graph, draft.order, silenced: draft.silenced, ringing: draft.ringing, fresh: draft.fresh)
    let tasks = engine.crew == nil ? nil : TaskPlan(plan, nodeCount: graph.vertices.count)
    if let tasks { plan.arrange(tasks.order) }
    let assignment = BufferAssignment(plan, tasks) { graph.vertices[$0].node.canRunInPlace }
    var builder = RenderSequenceBuilder(draft, plan, assignment, engine, tasks)
    for step in plan.steps { builder.add(step) }
    return builder.finish(latencyFrames: draft.order.totalLatency)
  }
}
