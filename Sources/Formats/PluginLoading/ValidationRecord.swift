// ValidationRecord.swift: stored validation results. SPDX-License-Identifier: MIT

import PluginCatalogue
package import PluginModel
package import PluginValidation

/// The location of a stored validation result.
///
/// Create it before the validation starts, so that a plugin that changes meanwhile is tested again.
package struct ValidationRecord {
  private let catalogue: Catalogue
  private let entry: CatalogueEntry
  private let signature: UInt64

  /// Returns a record for a plugin; nil if its result is not stored. [main]
  package init?(_ library: PluginLibrary, _ plugin: PluginDescription) {
    guard let catalogue = library.catalogue(of: plugin),
      let entry = try? catalogue.entry(named: plugin.identifier),
      let signature = catalogue.signature(of: entry)
    else { return nil }
    self.catalogue = catalogue
    self.entry = entry
    self.signature = signature
  }

  /// Returns the stored result for the current version of the plugin; nil if it was not tested. [main]
  package var known: ValidationReport? { catalogue.validationReport(of: entry) }

  /// Returns whether the current version of the plugin failed preflight. [main]
  package var knownCrash: ValidationReport? {
    guard case .failed(_, let message) = catalogue.cachedPreflight(entry) else { return nil }
    return ValidationReport([
      TestResult(.lifecycle, remarks: [TestMessage(.crashed, message)])
    ])
  }

  /// Stores a result. [main]
  package func store(_ report: ValidationReport) {
    catalogue.store(report, of: entry, signature: signature)
  }
}
