// RigPlanner+States.swift: initial presets and states of nodes. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
import PluginModel
import RigSchema

extension RigPlanner {
  /// Stores the resolved presets of the nodes, and finds the directories with their states.
  mutating func readStates(_ presets: [PluginPreset?]) {
    for (index, preset) in presets.enumerated() { nodes[index].preset = preset }
    for (index, node) in rig.nodes.enumerated() {
      guard let state = node.state else { continue }
      let file = state.place?.file ?? node.origin?.file
      let directory = rig.path(state.text, in: file)
      if let fault = fault(of: directory, for: nodes[index].plugin) {
        report(fault, state.position, state.place?.keyPath ?? "\(node.keyPath).state", in: file)
      } else {
        nodes[index].stateDirectory = directory
      }
    }
  }

  private func fault(of directory: String, for plugin: PluginDescription) -> String? {
    let (file, noun) = (plugin.format.stateFile, plugin.format.noun)
    guard !file.isEmpty else { return "\(plugin.name) is \(noun) and has no state directory." }
    guard InstallPaths.isDirectory(directory) else { return "no such directory: \(directory)." }
    guard FileManager.default.fileExists(atPath: "\(directory)/\(file)") else {
      return "\(directory) contains no state of \(noun): it has no \(file)."
    }
    return nil
  }
}
