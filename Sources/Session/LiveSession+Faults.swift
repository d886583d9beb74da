// LiveSession+Faults.swift: nodes that put out what cannot be sound. SPDX-License-Identifier: MIT

import Foundation
import RenderGraph
import Rig

extension LiveSession {
  /// A node that is at fault again so soon is not made anew again.
  private static let patienceSeconds = 60.0
  /// So many faults within that time are taken as they come.
  private static let mostFaults = 2

  /// Tells of nodes that were found at fault, and makes them anew; sound goes past them meanwhile.
  func seeToFaults() {
    var seen: Set<String> = []
    for (node, fault) in graph.editor.takeFaults() {
      guard let member = graph.members.first(where: { $0.nodes.contains { $0 === node } }),
        seen.insert(member.name).inserted
      else { continue }
      seeTo(fault, of: member.name)
    }
  }

  private func seeTo(_ fault: NodeFault, of name: String) {
    let now = ProcessInfo.processInfo.systemUptime
    let recent = (faultTimes[name] ?? []).filter { now - $0 < Self.patienceSeconds } + [now]
    faultTimes[name] = recent
    let what =
      switch fault {
      case .notFinite: "\(name) put out what is no number; that was kept from being heard."
      case .runaway: "\(name) put out a level beyond all measure; that was kept from being heard."
      }
    guard recent.count <= Self.mostFaults else {
      notices.append(
        "\(what) It does so again and again: sound goes past it until the rig is changed.")
      return
    }
    do {
      try makeAnew(name)
      notices.append("\(what) It was made anew, and is faded in.")
    } catch {
      notices.append("\(what) It cannot be made anew, so sound goes past it. \(error)")
    }
  }
}
