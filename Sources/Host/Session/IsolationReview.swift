// IsolationReview.swift: ends the isolation of sources that are no longer new. SPDX-License-Identifier: MIT

import ErrorModel
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning

/// Moves nodes into the process of the session when the reason for their isolation is over. [main]
struct IsolationReview {
  let active: ActiveRig

  /// Returns notices about nodes that were moved or could not be moved.
  func moveNodes() -> [HostNotice] {
    let library = active.library
    var names: [String] = []
    for (index, planned) in active.graph.plan.nodes.enumerated() {
      guard let reason = planned.isolationReason, library.isOver(reason),
        index < active.rig.isolationReasons.count, active.rig.isolationReasons[index] == reason,
        !active.faults.bypassedNodes.contains(planned.name)
      else { continue }
      // A fault meanwhile is another reason.
      active.rig.isolationReasons[index] = library.isolationReason(of: planned.plugin)
      names.append(planned.name)
    }
    guard !names.isEmpty else { return [] }
    let settings = active.graph.engine.settings
    do {
      let plan = try active.rig.withoutUselessValues.plan(
        inputChannelCount: settings.inputChannelCount,
        outputChannelCount: settings.outputChannelCount)
      let moved = zip(plan.nodes, active.graph.plan.nodes).filter {
        $0.isolation != $1.isolation
      }.map(\.0.name)
      try active.edit(
        to: active.rig, plan, keeping: RetainedNodes(of: active.graph, in: plan))
      active.latencies = LatencyMonitor(active.graph.members)
      return moved.map(HostNotice.isolationEnded)
    } catch {
      return [.isolationKept(names, error)]
    }
  }
}
