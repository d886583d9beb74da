// IsolationArguments.swift: isolation and sandboxes of plugins on the command line. SPDX-License-Identifier: MIT

import ArgumentParser
import PluginModel
import RigSchema

/// The options that run plugins in worker processes; they override the rig.
struct IsolationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Worker processes: auto, off, own, group, or group+block.", valueName: "group"))
  var isolate: String?

  @Flag(help: "Run all plugins in sandboxes, without network.")
  var sandbox = false

  func validate() throws {
    if sandbox, let isolate, !["auto", "own"].contains(isolate) {
      throw ValidationError(
        "--sandbox needs worker processes without other plugins. Use --isolate own, or remove it.")
    }
    guard let isolate, let fault = NodeIsolation.fault(in: isolate) else { return }
    throw ValidationError("--isolate \(fault)")
  }

  /// Sets the isolation of all plugins, but not of built-in nodes, which are part of the host.
  func apply(to rig: inout RigDescription) {
    for index in rig.nodes.indices {
      guard case .plugin = rig.nodes[index].source else { continue }
      if let isolate { rig.nodes[index].isolation = NodeIsolation(isolate) }
      if sandbox { rig.nodes[index].isSandboxed = true }
    }
  }
}
