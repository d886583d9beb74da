// FaultHandler.swift: reports and re-creates faulty nodes. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import FoundationEssentials
import Glibc
import HostModel
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

/// Reports faulty nodes and re-creates them. [main]
final class FaultHandler {
  private let active: ActiveRig
  private let blackBoxes: BlackBoxControl
  private let loads: NodeLoadMonitor
  /// Advises about an overloaded graph.
  private var overload = OverloadWatch()

  private var graph: LiveGraph { active.graph }
  private var notices: NoticeQueue { active.notices }

  init(_ active: ActiveRig, _ blackBoxes: BlackBoxControl, _ loads: NodeLoadMonitor) {
    (self.active, self.blackBoxes, self.loads) = (active, blackBoxes, loads)
  }

  /// Reports faulty nodes and re-creates them; they are bypassed meanwhile.
  func handle() {
    let found = graph.editor.takeFaults()
    let silenced = graph.editor.takeSilencedBlocks()
    if graph.editor.takeUnattributedOffsets() > 0 { reportUnattributedOffset() }
    if graph.engine.takeFaultyInputSamples().count > 0 { reportFaultyInput() }
    if let node = graph.editor.takeOverloadedNode() { reportOverload(of: node) }
    var seen: Set<String> = []
    // The members are in the order of the rig; the connections determine which node comes first.
    for fault in found { muteConnectionDelay(fault) }
    for fault in found {
      guard let member = graph.members.first(where: { $0.nodes.contains { $0 === fault.node } }),
        seen.insert(member.name).inserted
      else { continue }
      handleFault(fault, of: member.name)
    }
    if !found.isEmpty {
      active.faults.silenceBegan = nil
      blackBoxes.request("fault")
    }
    if found.contains(where: { $0.fault == .overload }) { overload.discard() }
    if found.isEmpty, silenced > 0 { reportRunawayLevel() }
  }

  /// Mutes a feedback loop that outputs invalid samples, until an edit replaces it.
  ///
  /// A delay that closes no loop received such samples from a node before it; it is re-created
  /// empty.
  private func muteConnectionDelay(_ found: DetectedFault) {
    guard let key = graph.lines.first(where: { $0.exit === found.node })?.key else { return }
    guard key.closesLoop else {
      let others = graph.lines.filter { $0.key != key }
      try? active.edit(
        to: active.rig, graph.plan, keeping: RetainedNodes(of: graph, in: graph.plan), lines: others
      )
      return
    }
    guard active.faults.cutLines.insert(key).inserted else { return }
    active.faults.lastCut = (key.node ?? "in", ProcessInfo.processInfo.systemUptime)
    guard found.fault != .dcOffset else {
      notices.append(.feedbackOffset(from: key.node ?? "in"))
      return
    }
    notices.append(.feedbackUnstable(from: key.node ?? "in"))
  }

  /// Reports that the outputs were silenced although no node is faulty: the gains are too high.
  private func reportRunawayLevel() {
    let now = ProcessInfo.processInfo.systemUptime
    let goesOn = now - active.faults.silenceSeen < NodeFaults.searchSeconds
    active.faults.silenceSeen = now
    guard goesOn, let began = active.faults.silenceBegan else {
      active.faults.silenceBegan = now
      return
    }
    guard now - began >= NodeFaults.searchSeconds,
      now - active.faults.lastMuteReport > NodeFaults.silenceSeconds
    else { return }
    active.faults.lastMuteReport = now
    notices.append(.outputRunaway)
  }

  /// Reports NaN or infinity in the inputs, at most every 10 s.
  private func reportFaultyInput() {
    let now = ProcessInfo.processInfo.systemUptime
    guard now - active.faults.lastInputReport > NodeFaults.silenceSeconds else { return }
    active.faults.lastInputReport = now
    notices.append(.inputInvalidSamples)
  }

  /// Reports that a node received a runaway level from its connections, at most every 10 s.
  private func reportOverload(of node: any Node) {
    guard let name = graph.members.first(where: { $0.nodes.contains { $0 === node } })?.name else {
      return
    }
    let now = ProcessInfo.processInfo.systemUptime
    active.faults.overloads[name] = now
    active.faults.lastMuteReport = now
    guard now - (active.faults.lastOverloadReports[name] ?? -.infinity) > NodeFaults.silenceSeconds
    else {
      return
    }
    active.faults.lastOverloadReports[name] = now
    notices.append(.nodeInputRunaway(name))
  }

  /// Reports a DC offset of the outputs that no node caused.
  private func reportUnattributedOffset() {
    guard !active.faults.hasReportedOffset else { return }
    active.faults.hasReportedOffset = true
    notices.append(.outputOffset)
  }

  private func handleFault(_ found: DetectedFault, of name: String) {
    let now = ProcessInfo.processInfo.systemUptime
    let isOwn = found.fault == .overload || found.fault == .dcOffset
    if !isOwn, let cause = upstreamFault(of: name, now) {
      // Its state may contain the invalid samples.
      notices.append(.nodeReceivedInvalidSamples(name, from: cause))
      try? active.recreateNode(name)
      return
    }
    let recent =
      (active.faults.times[name] ?? []).filter { now - $0 < NodeFaults.timeoutSeconds } + [now]
    active.faults.times[name] = recent
    active.faults.count(found.fault, of: name)
    let notice = HostNotice.fault(found, of: name)
    guard recent.count <= NodeFaults.maximumFaultCount else {
      active.faults.bypassedNodes.insert(name)
      let remedy = found.fault == .overload ? " Use a longer period, or another plugin." : ""
      notices.append(
        notice.then(
          "bypassed", "The fault repeats. The node stays bypassed until the rig changes.\(remedy)"))
      return
    }
    do {
      try active.recreateNode(name)
      notices.append(notice.then("recreated", "It was re-created and fades in."))
    } catch {
      active.faults.bypassedNodes.insert(name)
      notices.append(
        notice.then(
          "bypassed", "It cannot be re-created and stays bypassed. {error}", error: error))
    }
  }

  /// Returns a node before this one that had a fault just now; nil if there is none.
  private func upstreamFault(of name: String, _ now: Double) -> String? {
    if let overload = active.faults.overloads[name], now - overload < NodeFaults.echoSeconds {
      return "connections with too much gain"
    }
    if let cut = active.faults.lastCut, now - cut.seconds < NodeFaults.echoSeconds {
      return "the delayed connection from \(cut.node)"
    }
    let nodes = graph.plan.nodes
    guard let index = nodes.firstIndex(where: { $0.name == name }) else { return nil }
    var before: Set<Int> = []
    var waiting = [index]
    while let sink = waiting.popLast() {
      for link in graph.plan.links where link.to.node == sink {
        if let node = link.from.node, before.insert(node).inserted { waiting.append(node) }
      }
    }
    return before.sorted().map { nodes[$0].name }.first { other in
      other != name
        && (active.faults.times[other] ?? []).contains { now - $0 < NodeFaults.echoSeconds }
    }
  }

  /// Reports the advice for an overloaded graph.
  ///
  /// - Parameters:
  ///   - mean: the mean load since the last call, as a fraction of the period.
  ///   - maximum: the maximum of that load.
  ///   - xrunCount: the xruns of the driver so far.
  func handleOverload(mean: Double, maximum: Double, xrunCount: Int) {
    guard active.stream.isRealTime else { return }
    let wasMeasuring = overload.isMeasuring
    let isDue = overload.record(
      xrunCount: xrunCount, mean: mean, maximum: maximum,
      at: ProcessInfo.processInfo.systemUptime)
    if overload.isMeasuring, !wasMeasuring { _ = loads.take() }
    guard isDue else { return }
    let costs = loads.take().map {
      OverloadWatch.Cost(name: $0.name, plugin: $0.plugin, mean: $0.mean)
    }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let threads = OverloadWatch.Threads(
      limit: active.rig.rig.threadCount ?? processors, processors: processors,
      longestPath: graph.plan.longestPath(costs.map(\.mean)))
    if overload.conclude(periodFrames: active.stream.periodFrames, costs, threads),
      let advice = overload.advice
    {
      notices.append(advice.notice)
    }
  }

  /// The advice while an overload causes dropouts; nil otherwise.
  var advice: OverloadAdvice? { overload.advice(at: ProcessInfo.processInfo.systemUptime) }
}
