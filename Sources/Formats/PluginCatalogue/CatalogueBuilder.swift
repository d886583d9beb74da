// CatalogueBuilder.swift: the list of the plugins in all bundles. SPDX-License-Identifier: MIT

/// Bundles converted to a sorted list with one plugin per identifier.
final class CatalogueBuilder {
  /// The plugins by name, sorted on demand.
  private(set) lazy var entries = sorted()
  private(set) var faults: [ScanError] = []
  private(set) var duplicates: [DuplicatePlugin] = []
  /// The plugins by identifier.
  private(set) var plugins: [String: CachedPlugin] = [:]

  /// For equal identifiers the plugin of higher rank is used, for equal ranks the first, as in lilv.
  init(_ units: [CachedBundle]) {
    for unit in units {
      if !unit.fault.isEmpty {
        faults.append(ScanError(unit: unit.path, message: unit.fault))
      }
      for plugin in unit.plugins { add(plugin) }
    }
  }

  private func sorted() -> [CatalogueEntry] {
    // Computes each sort key once, because that costs more than a comparison.
    plugins.values.map { (key: $0.entry.name.lowercased(), entry: $0.entry) }
      .sorted { ($0.key, $0.entry.identifier) < ($1.key, $1.entry.identifier) }
      .map(\.entry)
  }

  private func add(_ plugin: CachedPlugin) {
    let identifier = plugin.entry.identifier
    guard let other = plugins[identifier] else {
      plugins[identifier] = plugin
      return
    }
    let isNewer = plugin.entry.rank > other.entry.rank
    let (used, ignored) = isNewer ? (plugin, other) : (other, plugin)
    plugins[identifier] = used
    duplicates.append(
      DuplicatePlugin(
        identifier: identifier, used: used.entry.unit, ignored: ignored.entry.unit))
  }
}
