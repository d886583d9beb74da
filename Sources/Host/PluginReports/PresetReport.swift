// PresetReport.swift: a preset as JSON. SPDX-License-Identifier: MIT

package import PluginModel

/// A preset as JSON.
package struct PresetReport: Encodable {
  let name: String
  let uri: String
  let bank: String?
  let bankURI: String?
  let location: String

  /// The report of a preset.
  package init(_ preset: PluginPreset) {
    name = preset.name
    uri = preset.identifier
    bank = preset.bank?.name
    bankURI = preset.bank?.identifier
    location = preset.location
  }
}
