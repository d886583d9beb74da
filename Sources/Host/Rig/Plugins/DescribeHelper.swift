// DescribeHelper.swift: what a module's code says of itself, where it may crash. SPDX-License-Identifier: MIT

import ModuleHost
import PluginCatalogue

/// Asks compiled code for its channels and parameters in a child process, as an instance has to be made.
package enum DescribeHelper {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--helper-description"
  /// At least one of them suits almost all code.
  private static let ratesHz = [48_000.0, 44_100]

  /// Answers with what the library at a path says of itself, and ends. [main, in the child]
  package static func run() -> Never {
    HelperRequest.serve(text(ofLibrary:))
  }

  private static func text(ofLibrary path: String) -> String? {
    guard let library = try? ModuleLibrary(path: path) else { return nil }
    return ratesHz.lazy.compactMap {
      library.description(sampleRateHz: $0, maximumFrameCount: 512)
    }.first
  }

  /// What the library at a path says of itself; nil where it says nothing, or crashes. [any]
  static func text(ofLibrary path: String, by command: ChildCommand) -> String? {
    guard ModuleLibrary.describesItself(path: path) else { return nil }
    guard !command.isInProcess else { return text(ofLibrary: path) }
    return HelperRequest.answer(
      to: path, argument: argument, by: command, withinSeconds: ChildLimits.sourceSeconds)
  }
}
