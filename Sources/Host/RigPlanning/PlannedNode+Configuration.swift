// PlannedNode+Configuration.swift: in which process and sandbox a node runs. SPDX-License-Identifier: MIT

package import PluginModel

extension RigPlan.PlannedNode {
  /// Sets the process and the sandbox of new instances. [any]
  package func configure(_ configuration: inout NodeConfiguration) {
    configuration.isolation = isolation
    configuration.sandbox = isSandboxed ? NodeSandbox(files: files) : nil
  }

  /// The files that its settings name.
  private var files: [String] {
    let named = properties.compactMap { setting -> String? in
      if case .path(let path) = setting.value { path } else { nil }
    }
    let others = [stateDirectory, preset?.location].compactMap(\.self)
    return named + others.filter { $0.hasPrefix("/") }
  }
}
