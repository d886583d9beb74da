// HelperCommands.swift: what the program does when it has started itself. SPDX-License-Identifier: MIT

import PluginCatalogue
import PluginValidation
import Rig

/// Work that may crash is done in a child: the program itself, with a hidden first argument.
enum HelperCommands {
  /// Does the work of a child and never returns, if that is what the arguments ask for; else returns.
  static func run(_ arguments: [String]) {
    switch arguments.first {
    case ScanHelper.argument: ScanHelper.run(sources: PluginSource.installed)
    case ValidationHelper.argument:
      let library = PluginLibrary()
      ValidationHelper.run(
        make: { try library.makeNode($0, $1) }, keepsGlobals: { library.keepsGlobals($0) })
    case PresetScanHelper.argument: PresetScanHelper.run()
    case DescribeHelper.argument: DescribeHelper.run()
    case StateTransferHelper.argument: StateTransferHelper.run()
    default: return
    }
  }
}
