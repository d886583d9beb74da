// FilterChainBands.swift: PipeWire's names for the bands of the equaliser. SPDX-License-Identifier: MIT

/// The `bq_...` filters of PipeWire that correspond to bands of the included equaliser, for import and export.
package enum FilterChainBands {
  /// The identifier of the equaliser.
  package static let plugin = "outboard.parametric-eq"
  /// The number of bands of one equaliser.
  package static let limit = 8
  /// PipeWire's names of the types of bands, in the order of their numbers; a band of type 0 is off.
  package static let labels = [
    "", "bq_peaking", "bq_lowshelf", "bq_highshelf", "bq_highpass", "bq_lowpass", "bq_bandpass",
    "bq_notch", "bq_allpass",
  ]

  /// Returns the number of the type with a name; nil if no band does the same.
  package static func type(labelled label: String) -> Int? {
    label.isEmpty ? nil : labels.firstIndex(of: label)
  }

  /// Whether bands of a type have a gain.
  package static func hasGain(_ type: Int) -> Bool { type <= 3 }
}
