// HostSettings.swift: the start options of a session, for later rigs. SPDX-License-Identifier: MIT

package import HostModel
package import RigSchema

/// The start options that apply to every rig that the session switches to.
package struct HostSettings {
  /// The rig file or installed rig that the session was started with; nil for plugins of the
  /// command line.
  package var rig: String?
  /// Whether plugins pass preflight before they are used.
  package var runsPreflight: Bool
  /// Applies the options of the command line to a rig.
  package var applyOptions: (inout RigDescription) -> Void
  /// Answers commands about plugins and files; nil if such commands are refused.
  package var queries: (any LibraryQueries)?
  /// Opens the MIDI devices of mappings; nil if there are none.
  package var openControllers: ControllerOpener?

  /// Creates settings.
  package init(
    rig: String? = nil, runsPreflight: Bool = true, queries: (any LibraryQueries)? = nil,
    applyOptions: @escaping (inout RigDescription) -> Void = { _ in }
  ) {
    (self.rig, self.runsPreflight, self.queries) = (rig, runsPreflight, queries)
    self.applyOptions = applyOptions
  }
}
