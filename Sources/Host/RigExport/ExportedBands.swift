// ExportedBands.swift: the equaliser as biquads of PipeWire. SPDX-License-Identifier: MIT

import Glibc
import Manifests
import PluginModel
import RigPlanning
import RigSchema

/// An equaliser as filters of PipeWire with the same response.
struct ExportedBands {
  /// A filter: the text of its label and controls.
  typealias Filter = (label: String, controls: [String])

  /// The filters in series, at least one.
  let filters: [Filter]

  /// Nil for another plugin, and for the design that PipeWire lacks.
  init?(_ node: RigPlan.PlannedNode) {
    guard node.plugin.identifier == FilterChainBands.plugin else { return nil }
    var values: [String: Float] = [:]
    for parameter in node.plugin.parameters { values[parameter.symbol] = parameter.defaultValue }
    for value in node.values {
      values[node.plugin.parameters[value.parameter].symbol] = value.value
    }
    guard values["design"] == 1 else { return nil }
    var filters: [Filter] = []
    for band in 1 ... FilterChainBands.limit {
      let value = { (name: String) in values["band_\(band)_\(name)"] ?? 0 }
      let type = Int(value("type"))
      let hasGain = FilterChainBands.hasGain(type)
      guard type > 0, type < FilterChainBands.labels.count, !hasGain || value("gain") != 0 else {
        continue
      }
      var controls = ["Freq = \(plain(value("frequency")))", "Q = \(plain(value("q")))"]
      if hasGain { controls.append("Gain = \(plain(value("gain")))") }
      filters.append((FilterChainBands.labels[type], controls))
    }
    let gain = values["output_gain"] ?? 0
    if gain != 0 {
      // The first filter has one input.
      if filters.isEmpty { filters.append(("copy", [])) }
      filters.append(("mixer", Self.gains(Float(pow(10, Double(gain) / 20)))))
    }
    self.filters = filters.isEmpty ? [("copy", [])] : filters
  }

  /// The names of the filters of a channel, counted from 0.
  func names(_ instance: String, _ channel: Int) -> [String] {
    filters.indices.map { "\(instance)-\(channel + 1)-\($0 + 1)" }
  }

  /// The names of the inputs of a filter.
  static func inputs(of filter: Filter) -> [String] {
    filter.label == "mixer" ? ["In 1", "In 2"] : ["In"]
  }

  /// The controls of a mixer that gets one source at both its inputs.
  ///
  /// Older versions of PipeWire ignore the gain of a mixer with one input, for example 0.3.65.
  static func gains(_ gain: Float) -> [String] {
    (1 ... 2).map { "\"Gain \($0)\" = \(plain(gain / 2))" }
  }
}
