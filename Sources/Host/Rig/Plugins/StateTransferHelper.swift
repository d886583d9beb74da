// StateTransferHelper.swift: what code remembers handed to what it has become, where it may crash.
// SPDX-License-Identifier: MIT

import ModuleHost
import PluginCatalogue
import PluginModel

/// Hands the state of a module to the code that takes its place, in a child process: a `restore` that takes the
/// bytes of another struct for its own would take the run with it.
package enum StateTransferHelper {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--helper-hand-over"

  /// Hands over what the question names, says so, and ends. [main, in the child]
  package static func run() -> Never {
    HelperRequest.serve { question in
      let words = question.split(separator: "\0").map(String.init)
      guard words.count == 4, let rate = Double(words[2]), let longest = Int(words[3]) else {
        return nil
      }
      // What throws does so in good order, and would where it is used.
      try? handOver(
        from: words[0], to: words[1],
        at: Preflight.Conditions(sampleRateHz: rate, maximumFrameCount: longest))
      return "done"
    }
  }

  private static func handOver(
    from old: String, to new: String, at conditions: Preflight.Conditions
  ) throws {
    let before = try ModulePreflight.node(ModuleManifestReader.describe(manifest: old), conditions)
    before.activate()
    ModulePreflight.render(before, longest: conditions.maximumFrameCount)
    guard let bytes = before.save() else { return }
    let after = try ModulePreflight.node(ModuleManifestReader.describe(manifest: new), conditions)
    try? after.restore(bytes)
    after.activate()
    ModulePreflight.render(after, longest: conditions.maximumFrameCount)
  }

  /// Whether code survives what the code before it gives it; manifests beside the libraries. [any]
  static func isSurvived(
    from old: String, to new: String, at conditions: Preflight.Conditions, by command: ChildCommand
  ) -> Bool {
    guard !command.isInProcess else { return true }
    let words = [old, new, "\(conditions.sampleRateHz)", "\(conditions.maximumFrameCount)"]
    return HelperRequest.answer(
      to: words.joined(separator: "\0"), argument: argument, by: command,
      withinSeconds: ChildLimits.sourceSeconds) != nil
  }
}
