// DescribeHelper.swift: reads the description of module code in a helper process. SPDX-License-Identifier: MIT

import ModuleHost
import PluginCatalogue

/// Reads channels and parameters of compiled code in a helper process, because this needs an instance.
package enum DescribeHelper {
  /// The hidden first argument of this helper process.
  package static let argument = "--helper-description"
  /// Rates of which at least one suits almost all code.
  private static let ratesHz = [48_000.0, 44_100]

  /// Answers with the description of a library, and exits. [main, in the child]
  package static func run() -> Never {
    HelperRequest.serve(text(ofLibrary:))
  }

  private static func text(ofLibrary path: String) -> String? {
    guard let library = try? ModuleLibrary(path: path) else { return nil }
    return ratesHz.lazy.compactMap {
      library.description(sampleRateHz: $0, maximumFrameCount: 512)
    }.first
  }

  /// Returns the description of the library at a path; nil if it has none or crashes. [any]
  static func text(ofLibrary path: String, by command: ChildCommand) -> String? {
    guard ModuleLibrary.exportsDescription(path: path) else { return nil }
    guard !command.isInProcess else { return text(ofLibrary: path) }
    return HelperRequest.answer(
      to: path, argument: argument, by: command, withinSeconds: ChildLimits.sourceSeconds)
  }
}
