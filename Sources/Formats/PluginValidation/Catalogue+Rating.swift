// Catalogue+Rating.swift: what inspections came to, remembered. SPDX-License-Identifier: MIT

package import PluginCatalogue

extension Catalogue {
  private static let memory = "inspections"

  /// What was found of a plugin, if it has been inspected since its files changed. [main]
  package func inspection(of entry: CatalogueEntry) -> ValidationReport? {
    remembered(entry, as: Self.memory) { reader throws(BinaryDecodingError) in
      ValidationReport(
        try reader.list { reader throws(BinaryDecodingError) in try reader.result() })
    }
  }

  /// What a list shows of a plugin: the outcome of its inspection, or that it crashed when it was tried;
  /// nil if neither was done since its files changed. [main]
  package func verdict(of entry: CatalogueEntry) -> PluginRating? {
    if let report = inspection(of: entry) { return report.verdict }
    guard case .failed = rememberedTrial(entry) else { return nil }
    return .crashes
  }

  /// Remembers what was found of a plugin whose files had a signature before it was inspected. [main]
  package func remember(
    _ report: ValidationReport, of entry: CatalogueEntry, signature: UInt64
  ) {
    var writer = BinaryEncoder()
    writer.write(report.results) { $0.write($1) }
    remember(writer.bytes, of: entry, as: Self.memory, signature)
  }
}
