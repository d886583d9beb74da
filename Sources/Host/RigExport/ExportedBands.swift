// ExportedBands.swift: the equaliser as biquads of PipeWire. SPDX-License-Identifier: MIT

import Glibc
import Manifests
import PluginModel
import RigPlanning

/// An equaliser as filters of PipeWire with the same response.
struct ExportedBands {
  /// A filter: the text of its label and controls.
  typealias Filter = (label: String, controls: [String])

  /// The filters in series, at least one.
  let filters: [Filter]

  private static let plugin = "outboard.parametric-eq"
  private static let bandCount = 8
  /// PipeWire's names of the types of bands.
  private static let labels = [
    "", "bq_peaking", "bq_lowshelf", "bq_highshelf", "bq_highpass", "bq_lowpass", "bq_bandpass",
    "bq_notch", "bq_allpass",
  ]

  /// Nil for another plugin, and for the design that PipeWire lacks.
  init?(_ node: RigPlan.PlannedNode) {
    guard node.plugin.identifier == Self.plugin else { return nil }
    var values: [String: Float] = [:]
    for parameter in node.plugin.parameters { values[parameter.symbol] = parameter.defaultValue }
    for value in node.values {
      values[node.plugin.parameters[value.parameter].symbol] = value.value
    }
    guard values["design"] == 1 else { return nil }
    var filters: [Filter] = []
    for band in 1 ... Self.bandCount {
      let value = { (name: String) in values["band_\(band)_\(name)"] ?? 0 }
      let type = Int(value("type"))
      let hasGain = type <= 3
      guard type > 0, type < Self.labels.count, !hasGain || value("gain") != 0 else { continue }
      var controls = ["Freq = \(plain(value("frequency")))", "Q = \(plain(value("q")))"]
      if hasGain { controls.append("Gain = \(plain(value("gain")))") }
      filters.append((Self.labels[type], controls))
    }
    let gain = values["output_gain"] ?? 0
    if gain != 0 {
      filters.append(("mixer", ["\"Gain 1\" = \(plain(Float(pow(10, Double(gain) / 20))))"]))
    }
    self.filters = filters.isEmpty ? [("copy", [])] : filters
  }

  /// The names of the filters of a channel, counted from 0.
  func names(_ instance: String, _ channel: Int) -> [String] {
    filters.indices.map { "\(instance)-\(channel + 1)-\($0 + 1)" }
  }

  /// The name of the input of a filter.
  static func input(of filter: Filter) -> String { filter.label == "mixer" ? "In 1" : "In" }
}
