// ChildWork.swift: what the program does when it has started itself. SPDX-License-Identifier: MIT

import PluginCatalogue
import PluginValidation
import Rig

/// Work that may crash is done in a child: the program itself, with a hidden first argument.
enum ChildWork {
  /// Does the work of a child and never returns, if that is what the arguments ask for; else returns.
  static func run(_ arguments: [String]) {
    switch arguments.first {
    case CatalogueChild.argument: CatalogueChild.run(sources: PluginSource.installed)
    case InspectionChild.argument:
      let library = PluginLibrary()
      InspectionChild.run(
        make: { try library.makeNode($0, $1) }, keepsGlobals: { library.keepsGlobals($0) })
    case PresetChild.argument: PresetChild.run()
    case DescriptionChild.argument: DescriptionChild.run()
    case HandOverChild.argument: HandOverChild.run()
    default: return
    }
  }
}
