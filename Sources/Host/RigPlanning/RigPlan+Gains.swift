// RigPlan+Gains.swift: the total gain of consecutive connections. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

extension RigPlan {
  /// The highest total gain of consecutive connections in dB, without the gain of nodes; infinite if a loop of
  /// connections amplifies; nil if all are silent. [any]
  package var highestGainDecibels: Double? {
    let gains = links.filter { $0.gain != 0 }.map { 20 * log10(Double(abs($0.gain))) }
    guard var highest = gains.max() else { return nil }
    // The highest gain up to each node. A path without a loop has at most as many connections as there are nodes, so
    // what still grows then is a loop.
    var reached: [Int: Double] = [:]
    for _ in 0 ... nodes.count {
      var isRaised = false
      for link in links where link.gain != 0 {
        let before = max(0, link.from.node.flatMap { reached[$0] } ?? 0)
        let sum = before + 20 * log10(Double(abs(link.gain)))
        highest = max(highest, sum)
        guard let node = link.to.node, sum > reached[node] ?? 0 else { continue }
        reached[node] = sum
        isRaised = true
      }
      if !isRaised { return highest }
    }
    return .infinity
  }
}
