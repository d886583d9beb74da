// PluginLibrary+Validation.swift: what inspections found, by plugin. SPDX-License-Identifier: MIT

import PluginCatalogue
package import PluginModel
package import PluginValidation

/// Where the outcome of an inspection goes.
///
/// Made before the inspection begins: what changes meanwhile must be inspected again.
package struct ValidationRecord {
  private let catalogue: Catalogue
  private let entry: CatalogueEntry
  private let signature: UInt64

  /// A record for a plugin; nil for one whose outcome is not remembered. [main]
  package init?(_ library: PluginLibrary, _ plugin: PluginDescription) {
    guard let catalogue = library.catalogue(of: plugin),
      let entry = try? catalogue.entry(named: plugin.identifier),
      let signature = catalogue.signature(of: entry)
    else { return nil }
    self.catalogue = catalogue
    self.entry = entry
    self.signature = signature
  }

  /// What was found when the plugin was as it is; nil if it was not inspected. [main]
  package var known: ValidationReport? { catalogue.inspection(of: entry) }

  /// That the plugin did not survive being tried, if it was tried as it is and did not. [main]
  package var knownCrash: ValidationReport? {
    guard case .failed(_, let sentence) = catalogue.rememberedTrial(entry) else { return nil }
    return ValidationReport([
      TestResult(.life, remarks: [TestMessage(.crashed, sentence)])
    ])
  }

  /// Remembers what was found. [main]
  package func remember(_ report: ValidationReport) {
    catalogue.remember(report, of: entry, signature: signature)
  }
}
