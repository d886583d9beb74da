// IsolationArguments.swift: isolation of plugins on the command line. SPDX-License-Identifier: MIT

import ArgumentParser
import PluginModel
import RigPlanning
import RigSchema
import Session

/// The option that runs plugins in worker processes; it overrides the rig.
struct IsolationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run plugins in worker processes: off, own, or a group name.", valueName: "group"))
  var isolate: String?

  func validate() throws {
    guard let isolate, let fault = NodeIsolation.fault(in: isolate) else { return }
    throw ValidationError("--isolate \(fault)")
  }

  /// Sets the isolation of all plugins, but not of built-in nodes, which are part of the host.
  func apply(to prepared: inout PreparedRig) {
    guard let isolation = isolate.map(NodeIsolation.init) else { return }
    for (index, plugin) in prepared.plugins.enumerated() where plugin.kind != .builtin {
      prepared.rig.nodes[index].isolation = isolation
    }
  }
}
