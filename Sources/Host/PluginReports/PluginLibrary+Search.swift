// PluginLibrary+Search.swift: finds plugins by purpose. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginLoading
package import PluginModel

extension PluginLibrary {
  /// Returns an index of the installed plugins of a kind, and for all kinds also of the commands. [main]
  package func searchIndex(of kind: PluginKind?) -> SearchIndex {
    let plugins = installed.filter { kind == nil || $0.kind == kind }
    let preferred = catalogue.sources.filter(\.namesComeFirst).map { PluginKind(rawValue: $0.name) }
    return SearchIndex(
      plugins, presets: catalogue.presetNames, preferring: Set(preferred),
      hasCommands: kind == nil)
  }
}
