// RenderSequenceBuilder+Fades.swift: the start times of a render sequence's fades. SPDX-License-Identifier: MIT

import PluginModel

extension RenderSequenceBuilder {
  /// Returns the clock of a render sequence's fades, which wait until new delays and nodes are
  /// filled.
  static func progress(
    _ draft: GraphCompiler.Draft, _ plan: StepPlan, _ engine: Engine
  ) -> UnsafeMutablePointer<FadeProgress>? {
    let fades = plan.steps.contains { if case .fade = $0.operation { true } else { false } }
    guard fades else { return nil }
    let filled = plan.steps.compactMap { step -> Int? in
      guard case .delay(let source, let frames) = step.operation,
        draft.carried.delays[key(of: source, frames, in: draft.graph)] == nil
      else { return nil }
      return frames
    }
    let progress = UnsafeMutablePointer<FadeProgress>.allocate(capacity: 1)
    progress.initialize(
      to: FadeProgress(
        sampleRateHz: engine.settings.sampleRateHz, fillFrames: filled.max() ?? 0,
        warmUpFrames: warmUpFrames(draft, engine.settings.sampleRateHz)))
    return progress
  }

  /// Returns the warm-up of new nodes, in frames: the fade-in of their inputs, the same time again
  /// for their memory of that, and their latency.
  private static func warmUpFrames(_ draft: GraphCompiler.Draft, _ sampleRateHz: Double) -> Int {
    let graph = draft.graph
    guard draft.fresh.contains(where: { graph.vertices[$0].node.audioInputCount > 0 }) else {
      return 0
    }
    // The longest path through new nodes only.
    var late = [Int](repeating: 0, count: graph.vertices.count)
    let paths = graph.connections.compactMap { connection -> (from: Int, to: Int)? in
      guard case .node(let from, _) = connection.source, case .node(let to, _) = connection.sink
      else { return nil }
      return (from.index, to.index)
    }
    let sources = Dictionary(grouping: paths, by: \.to)
    for node in draft.order.order where draft.fresh.contains(node) {
      let before = sources[node]?.map { late[$0.from] }.max() ?? 0
      late[node] = before + graph.vertices[node].node.latencyFrames
    }
    return (late.max() ?? 0) + HotSwapState.warmUpFrames(sampleRateHz: sampleRateHz)
  }
}
