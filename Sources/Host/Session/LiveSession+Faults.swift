// LiveSession+Faults.swift: nodes that put out what cannot be sound, or take too long. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import Rig

/// What a session remembers of nodes that were found at fault.
struct NodeFaults {
  /// A node that is at fault again so soon is not made anew again.
  static let patienceSeconds = 60.0
  /// So many faults within that time are taken as they come.
  static let mostFaults = 2
  /// What reaches a node so long after another one's fault may be that fault's echo.
  static let echoSeconds = 10.0
  /// So long one sentence on silence is enough.
  static let silenceSeconds = 10.0
  /// Silence that goes on for so long has no node for its cause: one would have been found.
  static let searchSeconds = 0.5

  /// When nodes were found at fault, by their names, in seconds of the system's uptime.
  var times: [String: [Double]] = [:]
  /// What the last of them was, by their names.
  var kinds: [String: NodeFault] = [:]
  /// Nodes that sound goes past for good.
  var leftOut: Set<String> = []
  /// Ways back that went wild, and are silent for good.
  var cutLines: Set<ConnectionDelay.Key> = []
  /// The last of them, and when, in seconds of the system's uptime.
  var lastCut: (node: String, seconds: Double)?
  /// When silence without a cause began, and was last seen and told.
  var silenceBegan: Double?
  var silenceSeen = -Double.infinity
  var silenceTold = -Double.infinity
  /// When nodes received what is no sound from connections, by their names, and when that was last reported.
  var overloads: [String: Double] = [:]
  var overloadTold: [String: Double] = [:]
  /// When samples of the inputs that are not numbers were last reported.
  var inputTold = -Double.infinity
  /// Whether an offset was told of that comes from no node.
  var hasToldOfOffset = false
}

extension LiveSession {
  /// Tells of nodes that were found at fault, and makes them anew; sound goes past them meanwhile.
  func seeToFaults() {
    let found = graph.editor.takeFaults()
    let silenced = graph.editor.takeSilencedBlocks()
    if graph.editor.takeStrayOffsets() > 0 { noteStrayOffset() }
    if graph.engine.takeFaultyInputSamples().count > 0 { reportFaultyInput() }
    if let node = graph.editor.takeOverloadedNode() { reportOverload(of: node) }
    var seen: Set<String> = []
    // The members stand in the order of the rig: who is before whom is told by the connections.
    for fault in found { cutLine(fault) }
    for fault in found {
      guard let member = graph.members.first(where: { $0.nodes.contains { $0 === fault.node } }),
        seen.insert(member.name).inserted
      else { continue }
      seeTo(fault, of: member.name)
    }
    if !found.isEmpty {
      faults.silenceBegan = nil
      noteForBlackBox("fault")
    }
    if found.contains(where: { $0.fault == .late }) { overload.discard() }
    if found.isEmpty, silenced > 0 { noteSilence() }
  }

  /// Mutes a loop that gives out invalid samples, until an edit puts another one in its place.
  ///
  /// A delay that closes no loop has such samples from a node before it, and is emptied.
  private func cutLine(_ found: DetectedFault) {
    guard let key = graph.lines.first(where: { $0.exit === found.node })?.key else { return }
    guard key.closesLoop else {
      let others = graph.lines.filter { $0.key != key }
      try? edit(
        to: rig, graph.plan, keeping: RetainedNodes(of: graph, in: graph.plan), lines: others)
      return
    }
    guard faults.cutLines.insert(key).inserted else { return }
    faults.lastCut = (key.node ?? "in", ProcessInfo.processInfo.systemUptime)
    guard found.fault != .offset else {
      notices.append(
        "Feedback through the delayed connection from \(key.node ?? "in") settled at a constant offset"
          + " and was muted. Lower the gain of that connection.")
      return
    }
    notices.append(
      "Feedback through the delayed connection from \(key.node ?? "in") is unstable and was muted."
        + " Lower the gain of that connection.")
  }

  /// What comes out is no sound, though each node is well: gains have made it so.
  private func noteSilence() {
    let now = ProcessInfo.processInfo.systemUptime
    let goesOn = now - faults.silenceSeen < NodeFaults.searchSeconds
    faults.silenceSeen = now
    guard goesOn, let began = faults.silenceBegan else {
      faults.silenceBegan = now
      return
    }
    guard now - began >= NodeFaults.searchSeconds,
      now - faults.silenceTold > NodeFaults.silenceSeconds
    else { return }
    faults.silenceTold = now
    notices.append(
      "The output exceeded +40 dBFS and was muted. No single node is the cause. Check the"
        + " connection gains.")
  }

  /// Reports samples of the inputs that are not numbers, at most every 10 s.
  private func reportFaultyInput() {
    let now = ProcessInfo.processInfo.systemUptime
    guard now - faults.inputTold > NodeFaults.silenceSeconds else { return }
    faults.inputTold = now
    notices.append(
      "The input has invalid samples (NaN or infinity), which are replaced by silence. Check the"
        + " program or device that sends it.")
  }

  /// Reports that a node received what is no sound from its connections, at most every 10 s.
  private func reportOverload(of node: any Node) {
    guard let name = graph.members.first(where: { $0.nodes.contains { $0 === node } })?.name else {
      return
    }
    let now = ProcessInfo.processInfo.systemUptime
    faults.overloads[name] = now
    faults.silenceTold = now
    guard now - (faults.overloadTold[name] ?? -.infinity) > NodeFaults.silenceSeconds else {
      return
    }
    faults.overloadTold[name] = now
    notices.append(
      "\(name) receives a signal above +40 dBFS and was muted. Lower the gains of the connections"
        + " that lead to it.")
  }

  /// What comes out stands still beside zero, and each node has it from before.
  private func noteStrayOffset() {
    guard !faults.hasToldOfOffset else { return }
    faults.hasToldOfOffset = true
    notices.append(
      "The output has a DC offset, which can damage loudspeakers. No single node is the cause. Check"
        + " the input, or set `dc_protection: off` if the offset is intended.")
  }

  private func seeTo(_ found: DetectedFault, of name: String) {
    let now = ProcessInfo.processInfo.systemUptime
    let isOwn = found.fault == .late || found.fault == .offset
    if !isOwn, let cause = cause(of: name, now) {
      // Its memory may be full of what the other one put out.
      notices.append("\(name) received invalid samples from \(cause) and was re-created.")
      try? makeAnew(name)
      return
    }
    let recent =
      (faults.times[name] ?? []).filter { now - $0 < NodeFaults.patienceSeconds } + [now]
    faults.times[name] = recent
    faults.kinds[name] = found.fault
    let what = Self.sentence(found, of: name)
    guard recent.count <= NodeFaults.mostFaults else {
      faults.leftOut.insert(name)
      notices.append(
        "\(what) The fault repeats. The node stays bypassed until the rig changes.")
      return
    }
    do {
      try makeAnew(name)
      notices.append("\(what) It was re-created and fades in.")
    } catch {
      faults.leftOut.insert(name)
      notices.append("\(what) It cannot be re-created and stays bypassed. \(error)")
    }
  }

  /// What a node did, and what became of its sound.
  private static func sentence(_ found: DetectedFault, of name: String) -> String {
    switch found.fault {
    case .notFinite: "\(name) output NaN or infinity and was muted."
    case .runaway: "\(name) output a level above +40 dBFS and was muted."
    case .late:
      "\(name) used \(Int((found.measure * 100).rounded())) % of several consecutive periods and was bypassed to"
        + " prevent dropouts."
    case .offset:
      "\(name) output a DC offset of \(Int((20 * log10(found.measure)).rounded())) dBFS and was bypassed to"
        + " protect the loudspeakers."
    }
  }

  /// A node before this one that was found at fault just now; nil where there is none.
  private func cause(of name: String, _ now: Double) -> String? {
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
