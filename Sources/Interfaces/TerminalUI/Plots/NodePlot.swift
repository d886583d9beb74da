// NodePlot.swift: what a node shows above its controls. SPDX-License-Identifier: MIT

import Console
import HostModel

/// The picture of a node, from its values and from what it reports.
enum NodePlot: Equatable {
  /// A band of a spectrum.
  struct Band: Equatable, Sendable {
    /// The frequency, with a unit.
    var name: String
    /// In dBFS.
    var level: Double
  }

  /// The response in dB, with a gain for all frequencies.
  case equaliser([FilterBand], gain: Double)
  /// The output level over the input level; the point that it has now, if its reduction is known.
  case compressor(CompressionCurve, now: Double?)
  /// The note, its distance in cents, and whether there is one.
  case tuner(note: String, cents: Double, isSilent: Bool)
  case spectrum([Band])
  case loudness(LoudnessHistory)

  /// The lowest level of spectra and compressors, in dBFS.
  static let floor = -60.0
  /// The maximum distance of a tone that is in tune, in cents.
  static let inTuneCents = 3.0
  /// A tone with less clarity has no pitch, in percent.
  private static let minimumClarity = 30.0
  private static let fewestBands = 8

  /// The gain of an equaliser in dB at a frequency in Hz.
  static func response(_ bands: [FilterBand], gain: Double, at hertz: Double) -> Double {
    bands.reduce(gain) { $0 + $1.decibels(at: hertz) }
  }

  /// Returns the picture of the selected node; nil if it has none.
  init?(_ model: DisplayModel) {
    guard let node = model.node, let plugin = model.descriptions[node.plugin] else { return nil }
    let values = model.values(of: node)
    let readouts = Dictionary(
      (model.nodeLevels[node.name]?.readouts ?? []).compactMap { one in
        one.value.map { (one.symbol, Double($0)) }
      }
    ) { first, _ in first }
    let bands = FilterBand.bands(values)
    if !bands.isEmpty {
      self = .equaliser(bands, gain: values["output_gain"] ?? 0)
    } else if plugin.category.lowercased().contains("compressor"),
      let threshold = values["threshold"], let ratio = values["ratio"], let knee = values["knee"]
    {
      let curve = CompressionCurve(threshold: threshold, ratio: ratio, knee: knee)
      self = .compressor(curve, now: Self.input(curve, readouts, model.nodeLevels[node.name]))
    } else if let reported = Self.reported(node, plugin, readouts, model) {
      self = reported
    } else {
      return nil
    }
  }

  /// The input level of a compressor, from its reduction, or from its output where it reduces nothing.
  private static func input(
    _ curve: CompressionCurve, _ readouts: [String: Double], _ levels: Event.Levels.Node?
  ) -> Double? {
    guard let reduction = readouts["reduction"].map(abs), let levels else { return nil }
    let level =
      reduction > 0.05
      ? curve.input(reducedBy: reduction)
      : min(levels.peakDBFS ?? -.infinity, curve.threshold)
    return level > floor ? level : nil
  }

  private static func reported(
    _ node: SessionState.Node, _ plugin: PluginDescription, _ readouts: [String: Double],
    _ model: DisplayModel
  ) -> NodePlot? {
    let symbols = Set(plugin.readouts.map(\.symbol))
    if symbols.isSuperset(of: ["note", "cents"]) { return tuner(plugin, readouts) }
    if let history = model.loudness[node.name] { return .loudness(history) }
    if let bands = model.spectra[node.name], !bands.isEmpty { return .spectrum(bands) }
    let bands = plugin.readouts.filter { $0.symbol.hasPrefix("band_") && $0.unit == "dB" }
    guard bands.count >= fewestBands else { return nil }
    return .spectrum(
      bands.map { Band(name: $0.name, level: readouts[$0.symbol] ?? -.infinity) })
  }

  private static func tuner(
    _ plugin: PluginDescription, _ readouts: [String: Double]
  ) -> NodePlot {
    let note = (readouts["note"] ?? 0).rounded()
    let isSilent = note <= 0 || readouts["clarity"] ?? 100 < minimumClarity
    let choices = plugin.readouts.first { $0.symbol == "note" }?.choices ?? []
    let name = choices.first { $0.value == note }?.name ?? ParameterDescription.number(note)
    return .tuner(note: name, cents: readouts["cents"] ?? 0, isSilent: isSilent)
  }
}

extension DisplayModel {
  /// The values of a node's parameters, by symbol: those that are being sent, or the session's.
  func values(of node: SessionState.Node) -> [String: Double] {
    Dictionary(
      node.parameters.map { one in
        let pendingValue = pendingValues[PendingValueKey(target: node.name, symbol: one.symbol)]
        return (one.symbol, pendingValue ?? Double(one.value))
      }
    ) { first, _ in first }
  }

  /// Takes the levels of nodes at a time in seconds, and keeps the loudness of those that report it.
  func take(nodes: [Event.Levels.Node], at seconds: Double) {
    nodeLevels = Dictionary(nodes.map { ($0.name, $0) }) { first, _ in first }
    for node in nodes {
      guard let momentary = node.readouts.first(where: { $0.symbol == "momentary" }),
        node.readouts.contains(where: { $0.symbol == "short_term" })
      else { continue }
      let integrated = node.readouts.first { $0.symbol == "integrated" }?.value
      keep(
        momentary.value.map(Double.init), integrated: integrated.map(Double.init), of: node.name,
        at: seconds)
    }
  }

  /// Takes the reading of a meter at a time in seconds.
  func take(_ meter: MeterValues, at seconds: Double) {
    keep(meter.momentary, integrated: meter.integrated, of: meter.name, at: seconds)
    if !meter.bands.isEmpty {
      spectra[meter.name] = meter.bands.map {
        NodePlot.Band(name: ParameterDescription.hertz($0.hz), level: $0.level ?? -.infinity)
      }
    }
  }

  /// Takes the report of an analyser.
  func take(_ analysis: AnalysisResult) {
    spectra[analysis.node] = analysis.bands.map {
      NodePlot.Band(name: ParameterDescription.hertz($0.centreHz), level: $0.decibels)
    }
  }

  /// The session or its rig is another one.
  func forgetReports() {
    loudness = loudness.filter { name, _ in state.nodes.contains { $0.name == name } }
    spectra = spectra.filter { name, _ in state.nodes.contains { $0.name == name } }
  }

  private func keep(_ momentary: Double?, integrated: Double?, of name: String, at seconds: Double)
  {
    loudness[name, default: LoudnessHistory()].take(momentary, at: seconds)
    loudness[name]?.integrated = integrated
  }
}
