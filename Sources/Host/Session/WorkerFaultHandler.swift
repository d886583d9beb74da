// WorkerFaultHandler.swift: reports and re-creates nodes whose worker process failed. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
import Glibc
import Isolation
import PluginCatalogue
import PluginModel
import RenderGraph
import RigPlanning

/// Reports worker processes that failed, and re-creates their nodes. [main]
final class WorkerFaultHandler {
  private let active: ActiveRig
  private let blackBoxes: BlackBoxControl
  private var lateBlocks = LateBlocks()

  private var graph: LiveGraph { active.graph }
  private var notices: NoticeQueue { active.notices }

  init(_ active: ActiveRig, _ blackBoxes: BlackBoxControl) {
    (self.active, self.blackBoxes) = (active, blackBoxes)
  }

  /// The nodes of one worker process that failed.
  private struct WorkerFault {
    let process: Int32
    var fault: IsolationFault
    var names: [String]
    /// The nodes that were rendered when the process failed; empty if unknown.
    var faultyNodes: [String]
    /// Whether the culprits crashed, and were not only rendered.
    var isCertain = false
    /// The node whose process may have reported where it crashed.
    var crashed: IsolatedNode?

    /// Counts a node that may have caused the fault.
    mutating func blame(_ name: String, isCertain: Bool) {
      if isCertain, !self.isCertain { (faultyNodes, self.isCertain) = ([], true) }
      if isCertain == self.isCertain, faultyNodes.last != name { faultyNodes.append(name) }
    }

    /// The only node that can have caused the fault; nil if there are several.
    var culprit: String? {
      faultyNodes.count == 1 ? faultyNodes[0] : names.count == 1 ? names[0] : nil
    }

    /// The nodes that count a fault.
    var blamed: [String] { culprit.map { [$0] } ?? names }

    /// Whether the fault is the end of the process, which may be the consequence of another fault.
    var isEnd: Bool { if case .ended = fault { true } else { false } }
  }

  /// Reports worker processes that failed, and re-creates their nodes; these pass their inputs on meanwhile.
  func handle() {
    let found = workerFaults()
    let late = found.filter { !$0.isEnd }
    // Different plugins do not hang in the same moment: the machine was busy.
    let plugins = Set(late.flatMap(\.names).map(plugin))
    let isBusy = late.count > 1 && plugins.count > 1
    for fault in found where fault.isEnd || !isBusy { handle(fault) }
    if isBusy { recreateAfterDelay(late.flatMap(\.names)) }
    if !found.isEmpty { blackBoxes.request("fault") }
    for notice in lateBlocks.take(graph, at: ProcessInfo.processInfo.systemUptime) {
      notices.append(notice)
    }
  }

  /// Re-creates nodes of several worker processes that were late at once; no plugin is blamed.
  private func recreateAfterDelay(_ names: [String]) {
    let notice = HostNotice.workersLate(names)
    do {
      try active.recreate(names)
      notices.append(notice.then("recreated", "They were re-created and fade in."))
    } catch {
      active.faults.bypassedNodes.formUnion(names)
      notices.append(
        notice.then("bypassed", "\(Self.staysBypassedText(names)) bypassed. {error}", error: error))
    }
  }

  private func workerFaults() -> [WorkerFault] {
    let nodes = graph.members.filter { !active.faults.bypassedNodes.contains($0.name) }
      .flatMap { member in
        member.nodes.compactMap { node in
          node.capabilities[IsolatedNode.self].map { (name: member.name, node: $0) }
        }
      }
    var found: [WorkerFault] = []
    for (name, node) in nodes {
      guard let fault = node.describeFault() else { continue }
      let process = node.worker.process
      // A process is mostly killed from outside, not because of what it renders.
      let isBlamed = node.isCulprit && fault != .ended(.signalled(SIGKILL))
      let known = found.firstIndex { $0.process == process }
      let index = known ?? found.count
      if known == nil {
        found.append(WorkerFault(process: process, fault: fault, names: [], faultyNodes: []))
      } else if found[index].isEnd {
        found[index].fault = fault
      }
      if isBlamed { found[index].blame(name, isCertain: node.hasCrashed) }
      if found[index].crashed == nil || node.hasCrashed { found[index].crashed = node }
    }
    // Those too that have not rendered since the fault.
    for index in found.indices {
      for (name, node) in nodes
      where node.worker.process == found[index].process && found[index].names.last != name {
        found[index].names.append(name)
      }
    }
    return found
  }

  private func handle(_ found: WorkerFault) {
    let now = ProcessInfo.processInfo.systemUptime
    var isRepeated = false
    for name in found.blamed {
      let recent =
        (active.faults.times[name] ?? []).filter { now - $0 < NodeFaults.timeoutSeconds } + [now]
      active.faults.times[name] = recent
      active.faults.count(.worker, of: name)
      isRepeated = isRepeated || recent.count > NodeFaults.maximumFaultCount
    }
    if let culprit = found.culprit {
      FaultRecorder.record(found.fault.text, node: culprit, library: "")
    }
    var consequences: [(HostNotice) -> HostNotice] = []
    let left = isRepeated ? found.blamed : []
    active.faults.bypassedNodes.formUnion(left)
    let renewed = found.names.filter { !left.contains($0) }
    if isRepeated {
      let remedy =
        found.fault == .slow
        ? "a longer period, or isolate it with `latency: block`." : "another version of the plugin."
      consequences.append {
        $0.then(
          "bypassed",
          "The fault repeats. \(Self.staysBypassedText(left)) bypassed until the rig changes. Use \(remedy)"
        )
      }
    }
    do {
      if !renewed.isEmpty { try active.recreate(renewed) }
      if !isRepeated {
        consequences.append {
          $0.then(
            "recreated",
            renewed.count == 1
              ? "It was re-created and fades in." : "They were re-created and fade in.")
        }
      }
    } catch {
      active.faults.bypassedNodes.formUnion(renewed)
      consequences.append {
        $0.then("bypassed", "\(Self.staysBypassedText(renewed)) bypassed. {error}", error: error)
      }
    }
    let culprit = found.culprit
    // The search for a source line may take seconds, so the nodes sound again first.
    let location = found.crashed?.crashLocation.map { " at \($0)" } ?? ""
    let notice = HostNotice.workerFault(
      found.fault.text + location, of: culprit, plugin: plugin(of: found.blamed[0]),
      others: found.names.filter { $0 != culprit })
    notices.append(consequences.reduce(notice) { $1($0) })
  }

  private func plugin(of name: String) -> String {
    graph.members.first { $0.name == name }?.plugin.name ?? name
  }

  private static func staysBypassedText(_ names: [String]) -> String {
    names.count == 1 ? "The node stays" : "The nodes stay"
  }
}
