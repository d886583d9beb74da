// Formats.swift: the plugin formats of this program. SPDX-License-Identifier: MIT

import BuiltinNodes
import LV2Host
import NativeModules
package import PluginCatalogue
package import PluginLoading
import SourceModules

extension FormatRegistry {
  /// Returns the plugin formats, in order of precedence.
  package static let installed: FormatRegistry = {
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
  package convenience init(compilesPortably: Bool = false) {
    self.init(
      formats: .installed, compilesPortably: compilesPortably,
      isolation: IsolationPolicy(faults: .ofUser))
  }
}
