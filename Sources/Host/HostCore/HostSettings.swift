// HostSettings.swift: how a session was started, for rigs that follow. SPDX-License-Identifier: MIT

package import Rig

/// What the start of a session says of every rig that it switches to.
package struct HostSettings {
  /// The rig file or the installed rig that it was started with; nil for plugins on a command line.
  package var rig: String?
  /// Whether plugins are tried before they are used.
  package var runsPreflight: Bool
  /// Applies what the command line says to a rig.
  package var applyOptions: (inout RigDescription) -> Void

  /// Settings by their values.
  package init(
    rig: String? = nil, runsPreflight: Bool = true,
    applyOptions: @escaping (inout RigDescription) -> Void = { _ in }
  ) {
    (self.rig, self.runsPreflight) = (rig, runsPreflight)
    self.applyOptions = applyOptions
  }
}
