// LiveSession+Workers.swift: reports and re-creates nodes whose worker process failed. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Isolation
import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// The nodes of one worker process that failed.
  private struct WorkerFault {
    let process: Int32
    var fault: IsolationFault
    var names: [String]

    /// Whether the fault is the end of the process, which may be the consequence of another fault.
    var isEnd: Bool { if case .ended = fault { true } else { false } }
  }

  /// Reports worker processes that failed, and re-creates their nodes; these pass their inputs on meanwhile.
  func handleWorkerFaults() {
    let found = workerFaults()
    for fault in found { handle(fault) }
    if !found.isEmpty { requestBlackBox("fault") }
  }

  private func workerFaults() -> [WorkerFault] {
    var found: [WorkerFault] = []
    for member in graph.members where !faults.bypassedNodes.contains(member.name) {
      for node in member.nodes {
        guard let node = node.abilities[IsolatedNode.self], let fault = node.describeFault() else {
          continue
        }
        let process = node.worker.process
        guard let place = found.firstIndex(where: { $0.process == process }) else {
          found.append(WorkerFault(process: process, fault: fault, names: [member.name]))
          continue
        }
        if found[place].isEnd { found[place].fault = fault }
        if found[place].names.last != member.name { found[place].names.append(member.name) }
      }
    }
    return found
  }

  private func handle(_ found: WorkerFault) {
    let now = ProcessInfo.processInfo.systemUptime
    var isRepeated = false
    for name in found.names {
      let recent =
        (faults.times[name] ?? []).filter { now - $0 < NodeFaults.timeoutSeconds } + [now]
      faults.times[name] = recent
      faults.kinds[name] = .worker
      isRepeated = isRepeated || recent.count > NodeFaults.maximumFaultCount
    }
    let what = Self.message(found, plugin(of: found.names[0]))
    guard !isRepeated else {
      faults.bypassedNodes.formUnion(found.names)
      notices.append(
        "\(what) The fault repeats. \(Self.stay(found)) bypassed until the rig changes. Use another"
          + " version of the plugin.")
      return
    }
    do {
      try recreate(found.names)
      let isOne = found.names.count == 1
      notices.append(
        "\(what) \(isOne ? "It was" : "They were") re-created and fade\(isOne ? "s" : "") in.")
    } catch {
      faults.bypassedNodes.formUnion(found.names)
      notices.append("\(what) \(Self.stay(found)) bypassed. \(error)")
    }
  }

  /// Re-creates nodes with their current values, and crossfades to them. [main]
  ///
  /// - Throws: errors of the plugins; the session is unchanged then.
  func recreate(_ names: [String]) throws {
    try edit(
      to: rig, graph.plan, keeping: RetainedNodes(of: graph, in: graph.plan).excluding(names))
    latencies = LatencyMonitor(graph.members)
  }

  /// Restores the last saved state of a node whose worker process failed; after a second fault, the state before it.
  ///
  /// A node that moves to another process gets the present state. Without that state the node starts like a new one.
  func recoverState(
    of old: any Node, to node: any Node, _ member: BuiltRig.BuiltNode, movesProcess: Bool
  ) {
    guard let old = old.abilities[IsolatedNode.self], old.describeFault() != nil else {
      if movesProcess { try? StateTransfer.copy(from: old, to: node, of: member.plugin) }
      return
    }
    let isRepeated = (faults.times[member.name]?.count ?? 0) > 1
    try? node.abilities[IsolatedNode.self]?.recoverState(of: old, usesOlder: isRepeated)
  }

  private func plugin(of name: String) -> String {
    graph.members.first { $0.name == name }?.plugin.name ?? name
  }

  private static func stay(_ found: WorkerFault) -> String {
    found.names.count == 1 ? "The node stays" : "The nodes stay"
  }

  /// Returns the message about a fault and its consequence.
  private static func message(_ found: WorkerFault, _ plugin: String) -> String {
    guard found.names.count > 1 else {
      let name = found.names[0]
      return
        "\(name == plugin ? name : "\(name) (\(plugin))") \(found.fault.text) in its worker process"
        + " and was bypassed."
    }
    let names =
      found.names.dropLast().joined(separator: ", ") + " and " + found.names[found.names.count - 1]
    return "One of \(names) \(found.fault.text) in their worker process, and all were bypassed."
  }
}
