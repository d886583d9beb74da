// IsolatedMembers.swift: the isolated nodes of a rig. SPDX-License-Identifier: MIT

import Isolation
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

extension [BuiltRig.BuiltNode] {
  /// Throws if the worker process of a node has failed. [main, while rendering too]
  ///
  /// - Throws: `SessionError.workerFailed` for the first such node.
  func checkWorkers() throws(SessionError) {
    for member in self {
      for node in member.nodes {
        guard let fault = node.capabilities[IsolatedNode.self]?.describeFault() else { continue }
        throw .workerFailed(node: member.name, plugin: member.plugin.name, fault: fault.text)
      }
    }
  }
}
