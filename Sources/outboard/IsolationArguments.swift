// IsolationArguments.swift: isolation of plugins on the command line. SPDX-License-Identifier: MIT

import ArgumentParser
import PluginModel
import RigSchema

/// The option that runs plugins in worker processes; it overrides the rig.
struct IsolationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Worker processes: auto, off, own, group, or group+block.", valueName: "group"))
  var isolate: String?

  func validate() throws {
    guard let isolate, let fault = NodeIsolation.fault(in: isolate) else { return }
    throw ValidationError("--isolate \(fault)")
  }

  /// Sets the isolation of all plugins, but not of built-in nodes, which are part of the host.
  func apply(to rig: inout RigDescription) {
    guard let isolation = isolate.map(NodeIsolation.init) else { return }
    for index in rig.nodes.indices {
      if case .plugin = rig.nodes[index].source { rig.nodes[index].isolation = isolation }
    }
  }
}
