// LateBlocks.swift: counts the blocks in which isolated nodes were late. SPDX-License-Identifier: MIT

import ErrorModel
import Isolation
import PluginModel
import RenderGraph
import RigPlanning

/// The blocks in which isolated nodes passed their inputs on because their answers were late. [main]
///
/// A late gate or limiter lets the sound through that it should stop, so the user must hear of it.
struct LateBlocks {
  private struct Count {
    var node: ObjectIdentifier
    /// All blocks of the node.
    var total: UInt64
    /// The blocks that were not yet reported.
    var unreported: UInt64 = 0
    /// When the node was last reported, in seconds of system uptime.
    var reported = -Double.infinity
  }

  /// By the position among the instances of a node, and its name.
  private var counts: [String: Count] = [:]

  /// Returns notices about nodes that were late before the last call, at most one in 10 s for each.
  ///
  /// If a node is late because it hangs, it is replaced by the next call, and its fault is reported instead.
  mutating func take(_ graph: LiveGraph, at now: Double) -> [HostNotice] {
    var notices: [HostNotice] = []
    for member in graph.members {
      for (channel, node) in member.nodes.enumerated() {
        guard let node = node.inside.capabilities[IsolatedNode.self] else { continue }
        let (identity, total) = (ObjectIdentifier(node), node.lateCount)
        let key = "\(channel) \(member.name)"
        var count = counts[key] ?? Count(node: identity, total: 0)
        if count.node != identity {
          (count.node, count.total, count.unreported) = (identity, 0, 0)
        } else if count.unreported > 0, node.fault == nil,
          now - count.reported > NodeFaults.silenceSeconds
        {
          notices.append(.workerLate(member.name, blockCount: count.unreported))
          (count.unreported, count.reported) = (0, now)
        }
        count.unreported += total - count.total
        count.total = total
        counts[key] = count
      }
    }
    return notices
  }
}
