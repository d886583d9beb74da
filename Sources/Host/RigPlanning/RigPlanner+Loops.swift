// RigPlanner+Loops.swift: delays that close a loop. SPDX-License-Identifier: MIT

extension RigPlanner {
  /// Marks the delayed links whose audio, or MIDI derived from it, returns to its source.
  mutating func findLoops() {
    guard links.contains(where: { $0.delaySeconds != nil }) else { return }
    var sinks = [Set<Int>](repeating: [], count: nodes.count)
    for link in links {
      if let from = link.from.node, let to = link.to.node { sinks[from].insert(to) }
    }
    for link in eventLinks {
      if let from = link.from, let to = link.to { sinks[from].insert(to) }
    }
    var reached: [Int: Set<Int>] = [:]
    for index in links.indices where links[index].delaySeconds != nil {
      guard let from = links[index].from.node, let to = links[index].to.node else { continue }
      let behind = reached[to] ?? Self.reach(of: to, sinks)
      reached[to] = behind
      links[index].closesLoop = behind.contains(from)
    }
  }

  /// Returns a node and all nodes downstream.
  private static func reach(of node: Int, _ sinks: [Set<Int>]) -> Set<Int> {
    var found: Set<Int> = [node]
    var waiting = [node]
    while let next = waiting.popLast() {
      for sink in sinks[next] where found.insert(sink).inserted { waiting.append(sink) }
    }
    return found
  }
}
