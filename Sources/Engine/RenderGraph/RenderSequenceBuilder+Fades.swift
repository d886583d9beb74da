// RenderSequenceBuilder+Fades.swift: the start times of a render sequence's fades. SPDX-License-Identifier: MIT

import PluginModel

extension RenderSequenceBuilder {
  /// The clock of a program's fades, which wait until delays and nodes that are new have been filled.
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

  /// How long new nodes hear what is theirs before they are heard: while it fades in, as long again for
  /// what they remember of that, and until it has come through them.
  private static func warmUpFrames(_ draft: GraphCompiler.Draft, _ sampleRateHz: Double) -> Int {
    let graph = draft.graph
    guard draft.fresh.contains(where: { graph.vertices[$0].node.audioInputCount > 0 }) else {
      return 0
    }
    // The longest way through them alone.
    var late = [Int](repeating: 0, count: graph.vertices.count)
    let ways = graph.connections.compactMap { connection -> (from: Int, to: Int)? in
      guard case .node(let from, _) = connection.source, case .node(let to, _) = connection.sink
      else { return nil }
      return (from.index, to.index)
    }
    let sources = Dictionary(grouping: ways, by: \.to)
    for node in draft.order.order where draft.fresh.contains(node) {
      let before = sources[node]?.map { late[$0.from] }.max() ?? 0
      late[node] = before + graph.vertices[node].node.latencyFrames
    }
    return (late.max() ?? 0) + HotSwapState.warmUpFrames(sampleRateHz: sampleRateHz)
  }
}
