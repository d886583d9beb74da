// StateTransferHelper.swift: transfer of module state to new code, in a helper process.
// SPDX-License-Identifier: MIT

import ModuleHost
package import PluginCatalogue
import PluginModel

/// Transfers the state of a module to the code that replaces it, in a helper process.
///
/// A `restore` that misreads the bytes of another struct would crash the session.
package enum StateTransferHelper {
  /// The hidden first argument of this helper process.
  package static let argument = "--helper-hand-over"

  /// Transfers the state of the request, reports success, and exits. [main, in the child]
  package static func run() -> Never {
    HelperRequest.serve { question in
      let words = question.split(separator: "\0").map(String.init)
      guard words.count == 4, let rate = Double(words[2]), let longest = Int(words[3]) else {
        return nil
      }
      // An error that is thrown here is also handled in the session.
      try? transferState(
        from: words[0], to: words[1],
        at: Preflight.Conditions(sampleRateHz: rate, maximumFrameCount: longest))
      return "done"
    }
  }

  private static func transferState(
    from old: String, to new: String, at conditions: Preflight.Conditions
  ) throws {
    let before = try ModulePreflight.node(ModuleManifestReader.describe(manifest: old), conditions)
    try before.activate()
    ModulePreflight.render(before, longest: conditions.maximumFrameCount)
    guard let bytes = before.save() else { return }
    let after = try ModulePreflight.node(ModuleManifestReader.describe(manifest: new), conditions)
    try? after.restore(bytes)
    try after.activate()
    ModulePreflight.render(after, longest: conditions.maximumFrameCount)
  }

  /// Returns whether new code survives the state of the old code; manifests are next to the libraries. [any]
  package static func stateTransferSucceeds(
    from old: String, to new: String, at conditions: Preflight.Conditions, by command: ChildCommand
  ) -> Bool {
    guard !command.isInProcess else { return true }
    let words = [old, new, "\(conditions.sampleRateHz)", "\(conditions.maximumFrameCount)"]
    return HelperRequest.answer(
      to: words.joined(separator: "\0"), argument: argument, by: command,
      withinSeconds: ChildLimits.sourceSeconds) != nil
  }
}
