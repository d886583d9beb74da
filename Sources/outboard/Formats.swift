// Formats.swift: the plugin formats of this program. SPDX-License-Identifier: MIT

import LV2Host
import PluginCatalogue
import Rig

extension FormatRegistry {
  /// Returns the plugin formats, in order of precedence.
  static let installed: FormatRegistry = {
    let modules = ModuleFormat()
    return FormatRegistry(
      [
        SourceFormat(),
        modules,
        LV2Format(),
        BuiltinFormat(),
      ],
      otherPaths: modules)
  }()
}

extension PluginLibrary {
  /// Creates a library with the plugin formats of this program. [main]
  ///
  /// - Parameter compilesPortably: whether sources are compiled to run on other computers, too.
  convenience init(compilesPortably: Bool = false) {
    self.init(formats: .installed, compilesPortably: compilesPortably)
  }
}
