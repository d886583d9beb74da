// LongestPath.swift: the path of a graph that costs most. SPDX-License-Identifier: MIT

import RigPlanning

extension RigPlan {
  /// Returns the highest sum of costs along a path of connections, which several threads cannot shorten.
  ///
  /// `costs` has the cost of each node, in the order of the rig. Connections that close a loop do not count.
  func longestPath(_ costs: [Double]) -> Double {
    var ends = costs
    let steps = Set(
      links.compactMap { link -> [Int]? in
        guard !link.closesLoop, let from = link.from.node, let to = link.to.node, from != to else {
          return nil
        }
        return [from, to]
      })
    // A path has at most as many steps as there are nodes.
    for _ in nodes {
      var hasChanged = false
      for step in steps where ends[step[0]] + costs[step[1]] > ends[step[1]] {
        ends[step[1]] = ends[step[0]] + costs[step[1]]
        hasChanged = true
      }
      guard hasChanged else { break }
    }
    return ends.max() ?? 0
  }
}
