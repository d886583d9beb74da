// Catalogue+Rating.swift: stored validation results. SPDX-License-Identifier: MIT

package import PluginCatalogue

extension Catalogue {
  private static let memory = "inspections"

  /// Returns the stored report of a plugin, if its files have not changed since. [main]
  package func validationReport(of entry: CatalogueEntry) -> ValidationReport? {
    cached(entry, as: Self.memory) { reader throws(BinaryDecodingError) in
      ValidationReport(
        try reader.list { reader throws(BinaryDecodingError) in try reader.result() })
    }
  }

  /// Returns the rating of a plugin for a list, from its validation or a crash in its preflight; nil if neither
  /// is known for the current files. [main]
  package func rating(of entry: CatalogueEntry) -> PluginRating? {
    if let report = validationReport(of: entry) { return report.rating }
    guard case .failed = cachedPreflight(entry) else { return nil }
    return .crashes
  }

  /// Returns the ratings of many plugins. [main]
  package func ratings(of entries: [CatalogueEntry]) -> [PluginRating?] {
    readingManyRecords { entries.map { rating(of: $0) } }
  }

  /// Stores the report of a plugin with the fingerprint of its files before the validation. [main]
  package func store(
    _ report: ValidationReport, of entry: CatalogueEntry, signature: UInt64
  ) {
    var writer = BinaryEncoder()
    writer.write(report.results) { $0.write($1) }
    store(writer.bytes, of: entry, as: Self.memory, signature)
  }
}
