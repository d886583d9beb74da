// RigPlanner+Instances.swift: the number of instances of each plugin. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

extension RigPlanner {
  /// Gives a mono plugin one instance per input channel, unless the rig specifies the number.
  mutating func countInstances() {
    for index in order() {
      inferChannelCount(index)
      guard index < rig.nodes.count, rig.nodes[index].instanceCount == nil else { continue }
      let plugin = nodes[index].plugin
      guard plugin.audioInputs.count == 1, plugin.audioOutputs.count == 1, !plugin.isSingle
      else { continue }
      let widths = (connectionsTo[nodes[index].name] ?? []).filter { $0.to.ports == .all }
        .map { sources($0.from)?.count ?? 1 }
      nodes[index].instanceCount = max(1, widths.max() ?? 1)
    }
  }

  /// Rejects a second instance of a plugin that allows only one.
  mutating func checkSingleInstance() {
    var first: [String: Int] = [:]
    for (index, node) in rig.nodes.enumerated() where nodes[index].plugin.isSingle {
      let plugin = nodes[index].plugin
      let other = first[plugin.identifier]
      first[plugin.identifier] = other ?? index
      guard other != nil || nodes[index].instanceCount > 1 else { continue }
      let place =
        other.map {
          "it is already used as"
            + " \(nodes[$0].name)"
        } ?? "one is needed for each channel"
      report(
        "\(plugin.name) allows only one instance, and \(place).",
        node.sourcePosition, node.keyPath, in: node.origin?.file)
    }
  }

  /// Sorts nodes after their sources, if there is no loop.
  private func order() -> [Int] {
    var order: [Int] = []
    var state = [Int](repeating: 0, count: nodes.count)
    func visit(_ node: Int) {
      guard state[node] == 0 else { return }
      state[node] = 1
      for connection in connectionsTo[nodes[node].name] ?? [] {
        if let name = connection.from.nodeName, let before = indices[name] { visit(before) }
      }
      order.append(node)
    }
    for node in nodes.indices { visit(node) }
    return order
  }
}

extension PluginDescription {
  /// Whether only one instance is allowed.
  fileprivate var isSingle: Bool { module?.isSingle == true }
}
