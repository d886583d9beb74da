// LiveSession+Faults.swift: reports and re-creates faulty nodes. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import Rig

/// The faults of nodes in a session.
struct NodeFaults {
  /// The window in which the faults of a node are counted, in seconds.
  static let timeoutSeconds = 60.0
  /// The number of faults within the window after which a node is still re-created.
  static let maximumFaultCount = 2
  /// How long after a fault invalid samples at another node may be its consequence, in seconds.
  static let echoSeconds = 10.0
  /// The shortest interval between messages about the same kind of fault, in seconds.
  static let silenceSeconds = 10.0
  /// Silence of this length has no faulty node as its cause, in seconds; one would have been found.
  static let searchSeconds = 0.5

  /// The times of faults, by node name, in seconds of system uptime.
  var times: [String: [Double]] = [:]
  /// The last kind of fault, by node name.
  var kinds: [String: NodeFault] = [:]
  /// The nodes that stay bypassed until the rig changes.
  var bypassedNodes: Set<String> = []
  /// The delayed connections that are muted because their feedback is unstable.
  var cutLines: Set<ConnectionDelay.Key> = []
  /// The last of them, and its time in seconds of system uptime.
  var lastCut: (node: String, seconds: Double)?
  /// When silence without a known cause began, and when it was last detected and reported.
  var silenceBegan: Double?
  var silenceSeen = -Double.infinity
  var lastMuteReport = -Double.infinity
  /// When nodes received a runaway level from their connections, by name, and when that was last
  /// reported.
  var overloads: [String: Double] = [:]
  var lastOverloadReports: [String: Double] = [:]
  /// When invalid input samples were last reported.
  var lastInputReport = -Double.infinity
  /// Whether a DC offset without a faulty node was reported.
  var hasReportedOffset = false
}

extension LiveSession {
  /// Reports faulty nodes and re-creates them; they are bypassed meanwhile.
  func handleFaults() {
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
      faults.silenceBegan = nil
      requestBlackBox("fault")
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
      try? edit(
        to: rig, graph.plan, keeping: RetainedNodes(of: graph, in: graph.plan), lines: others)
      return
    }
    guard faults.cutLines.insert(key).inserted else { return }
    faults.lastCut = (key.node ?? "in", ProcessInfo.processInfo.systemUptime)
    guard found.fault != .dcOffset else {
      notices.append(
        "Feedback through the delayed connection from \(key.node ?? "in") settled at a constant offset"
          + " and was muted. Lower the gain of that connection.")
      return
    }
    notices.append(
      "Feedback through the delayed connection from \(key.node ?? "in") is unstable and was muted."
        + " Lower the gain of that connection.")
  }

  /// Reports that the outputs were silenced although no node is faulty: the gains are too high.
  private func reportRunawayLevel() {
    let now = ProcessInfo.processInfo.systemUptime
    let goesOn = now - faults.silenceSeen < NodeFaults.searchSeconds
    faults.silenceSeen = now
    guard goesOn, let began = faults.silenceBegan else {
      faults.silenceBegan = now
      return
    }
    guard now - began >= NodeFaults.searchSeconds,
      now - faults.lastMuteReport > NodeFaults.silenceSeconds
    else { return }
    faults.lastMuteReport = now
    notices.append(
      "The output exceeded +40 dBFS and was muted. No single node is the cause. Check the"
        + " connection gains.")
  }

  /// Reports NaN or infinity in the inputs, at most every 10 s.
  private func reportFaultyInput() {
    let now = ProcessInfo.processInfo.systemUptime
    guard now - faults.lastInputReport > NodeFaults.silenceSeconds else { return }
    faults.lastInputReport = now
    notices.append(
      "The input has invalid samples (NaN or infinity), which are replaced by silence. Check the"
        + " program or device that sends it.")
  }

  /// Reports that a node received a runaway level from its connections, at most every 10 s.
  private func reportOverload(of node: any Node) {
    guard let name = graph.members.first(where: { $0.nodes.contains { $0 === node } })?.name else {
      return
    }
    let now = ProcessInfo.processInfo.systemUptime
    faults.overloads[name] = now
    faults.lastMuteReport = now
    guard now - (faults.lastOverloadReports[name] ?? -.infinity) > NodeFaults.silenceSeconds else {
      return
    }
    faults.lastOverloadReports[name] = now
    notices.append(
      "\(name) receives a signal above +40 dBFS and was muted. Lower the gains of the connections"
        + " that lead to it.")
  }

  /// Reports a DC offset of the outputs that no node caused.
  private func reportUnattributedOffset() {
    guard !faults.hasReportedOffset else { return }
    faults.hasReportedOffset = true
    notices.append(
      "The output has a DC offset, which can damage loudspeakers. No single node is the cause. Check"
        + " the input, or set `dc_protection: off` if the offset is intended.")
  }

  private func handleFault(_ found: DetectedFault, of name: String) {
    let now = ProcessInfo.processInfo.systemUptime
    let isOwn = found.fault == .overload || found.fault == .dcOffset
    if !isOwn, let cause = upstreamFault(of: name, now) {
      // Its state may contain the invalid samples.
      notices.append("\(name) received invalid samples from \(cause) and was re-created.")
      try? recreateNode(name)
      return
    }
    let recent =
      (faults.times[name] ?? []).filter { now - $0 < NodeFaults.timeoutSeconds } + [now]
    faults.times[name] = recent
    faults.kinds[name] = found.fault
    let what = Self.message(found, of: name)
    guard recent.count <= NodeFaults.maximumFaultCount else {
      faults.bypassedNodes.insert(name)
      notices.append(
        "\(what) The fault repeats. The node stays bypassed until the rig changes.")
      return
    }
    do {
      try recreateNode(name)
      notices.append("\(what) It was re-created and fades in.")
    } catch {
      faults.bypassedNodes.insert(name)
      notices.append("\(what) It cannot be re-created and stays bypassed. \(error)")
    }
  }

  /// Returns the message about a fault and its consequence.
  private static func message(_ found: DetectedFault, of name: String) -> String {
    switch found.fault {
    case .invalidSamples: "\(name) output NaN or infinity and was muted."
    case .runaway: "\(name) output a level above +40 dBFS and was muted."
    case .overload:
      "\(name) used \(Int((found.measure * 100).rounded())) % of several consecutive periods and was bypassed to"
        + " prevent dropouts."
    case .dcOffset:
      "\(name) output a DC offset of \(Int((20 * log10(found.measure)).rounded())) dBFS and was bypassed to"
        + " protect the loudspeakers."
    case .worker: "\(name) lost its worker process and was bypassed."
    }
  }

  /// Returns a node before this one that had a fault just now; nil if there is none.
  private func upstreamFault(of name: String, _ now: Double) -> String? {
    if let overload = faults.overloads[name], now - overload < NodeFaults.echoSeconds {
      return "connections with too much gain"
    }
    if let cut = faults.lastCut, now - cut.seconds < NodeFaults.echoSeconds {
      return "the way back from \(cut.node)"
    }
    let nodes = graph.plan.nodes
    guard let place = nodes.firstIndex(where: { $0.name == name }) else { return nil }
    var before: Set<Int> = []
    var waiting = [place]
    while let sink = waiting.popLast() {
      for link in graph.plan.links where link.to.node == sink {
        if let node = link.from.node, before.insert(node).inserted { waiting.append(node) }
      }
    }
    return before.sorted().map { nodes[$0].name }.first { other in
      other != name
        && (faults.times[other] ?? []).contains { now - $0 < NodeFaults.echoSeconds }
    }
  }
}
