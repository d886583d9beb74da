// RigPlanner+Sandbox.swift: the processes of nodes in sandboxes. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

extension RigPlanner {
  /// Isolates the nodes in sandboxes, and reports settings that contradict a sandbox.
  mutating func resolveSandboxes() {
    for (index, node) in rig.nodes.enumerated() where node.isSandboxed {
      resolveSandbox(ofNode: index, node)
    }
  }

  /// A node in a sandbox has a worker process without other nodes.
  private mutating func resolveSandbox(ofNode index: Int, _ node: RigNode) {
    let keyPath = "\(node.keyPath).sandbox"
    switch node.isolation.process {
    case .automatic, .own:
      nodes[index].isolation = NodeIsolation(.own, isBlockLate: node.isolation.isBlockLate)
      nodes[index].isolationReason = nil
    case .off:
      report(
        "\(node.name) has a sandbox, but `isolate: off` runs it in the host. Remove one of the two.",
        node.position, keyPath, in: node.origin?.file)
    case .group(let group):
      report(
        "\(node.name) has a sandbox, which it cannot share with the group \(group). Remove one of the"
          + " two.", node.position, keyPath, in: node.origin?.file)
    }
  }
}
