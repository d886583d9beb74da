// Graph+Automation.swift: automated nodes of a graph. SPDX-License-Identifier: MIT

package import PluginModel

extension Graph {
  /// Automates parameters of a node that is in the graph. [main]
  package mutating func automate(_ node: any Node, by automation: NodeAutomation) {
    automations[ObjectIdentifier(node)] = automation
  }

  /// Returns the automation of a node, or nil if it has none. [main]
  package func automation(of node: any Node) -> NodeAutomation? {
    automations.isEmpty ? nil : automations[ObjectIdentifier(node)]
  }

  /// Returns the graph with the automations of nodes that only `other` has. [main]
  func automated(with other: Graph) -> Graph {
    guard !other.automations.isEmpty else { return self }
    var result = self
    let present = Set(vertices.map { ObjectIdentifier($0.node) })
    for (node, automation) in other.automations where !present.contains(node) {
      result.automations[node] = automation
    }
    return result
  }
}
