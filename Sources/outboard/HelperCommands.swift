// HelperCommands.swift: the hidden commands of helper processes. SPDX-License-Identifier: MIT

import InstalledFormats
import Isolation
import PluginCatalogue
import PluginLoading
import PluginValidation

/// Runs work that may crash in a helper process, which is this program with a hidden first argument.
enum HelperCommands {
  /// Runs the helper command in the arguments and exits; returns if there is none.
  static func run(_ arguments: [String]) {
    switch arguments.first {
    case ScanHelper.argument: ScanHelper.run(sources: FormatRegistry.installed.sources)
    case WorkerHelper.argument: WorkerHelper.run(.installed)
    case ValidationHelper.argument:
      let library = PluginLibrary()
      ValidationHelper.run(
        make: { try library.makeNode($0, $1) }, keepsGlobals: { library.keepsGlobals($0) })
    case let argument? where argument.hasPrefix(FormatHelper.prefix):
      FormatRegistry.installed.runHelper(argument)
    default: return
    }
  }
}
