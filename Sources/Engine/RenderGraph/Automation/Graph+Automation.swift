// Graph+Automation.swift: nodes of a graph whose parameters move by themselves. SPDX-License-Identifier: MIT

package import PluginModel

extension Graph {
  /// Has lanes move parameters of a node that is in the graph. [main]
  package mutating func automate(_ node: any Node, by automation: NodeAutomation) {
    automations[ObjectIdentifier(node)] = automation
  }

  /// The lanes of a node; nil where it has none. [main]
  package func automation(of node: any Node) -> NodeAutomation? {
    automations.isEmpty ? nil : automations[ObjectIdentifier(node)]
  }

  /// The same, and those of nodes that only another graph has. [main]
  func automated(with other: Graph) -> Graph {
    guard !other.automations.isEmpty else { return self }
    var result = self
    let own = Set(vertices.map { ObjectIdentifier($0.node) })
    for (node, automation) in other.automations where !own.contains(node) {
      result.automations[node] = automation
    }
    return result
  }
}
