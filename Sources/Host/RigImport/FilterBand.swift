// FilterBand.swift: PipeWire's biquads as bands of the equaliser. SPDX-License-Identifier: MIT

import RigSchema

/// A filter `bq_...` of PipeWire as a band of the included equaliser.
///
/// PipeWire designs its biquads as the Audio EQ Cookbook does. The bilinear design of the equaliser does the same.
struct FilterBand {
  /// The equaliser.
  static let plugin = ForeignProject.Plugin.module(FilterChainBands.plugin)
  /// The ranges of the equaliser, for messages.
  static let limits = "The equaliser allows 20 Hz to 20 kHz, a Q of 0.1 to 20, and -24 to 24 dB."

  /// The value that PipeWire uses if `Q` is 0 or absent.
  private static let defaultQ = 0.707106781186548

  private let type: Int
  private let frequencyHz: Double
  private let decibels: Double
  private let q: Double

  /// Creates a band; nil for another filter, and for values that the equaliser lacks.
  init?(_ label: String, _ controls: RelaxedJSON?) {
    guard let type = FilterChainBands.type(labelled: label) else { return nil }
    let isShelfOrPass = 2 ... 5 ~= type
    let given = controls?["Q"]?.number ?? 0
    self.type = type
    frequencyHz = controls?["Freq"]?.number ?? 0
    decibels = FilterChainBands.hasGain(type) ? controls?["Gain"]?.number ?? 0 : 0
    q = given <= 0 && isShelfOrPass ? Self.defaultQ : given
    guard 20 ... 20_000 ~= frequencyHz, -24 ... 24 ~= decibels, 0.1 ... 20 ~= q else { return nil }
  }

  /// Returns the values of an equaliser with these bands, at most `FilterChainBands.limit`.
  static func values(of bands: [FilterBand], line: Int) -> [ForeignProject.Value] {
    var values = [ForeignProject.Value(key: .named("design"), value: 1, line: line)]
    for (index, band) in bands.enumerated() {
      let parts = [
        ("type", Double(band.type)), ("frequency", band.frequencyHz), ("gain", band.decibels),
        ("q", band.q),
      ]
      for (name, value) in parts {
        values.append(
          .init(key: .named("band_\(index + 1)_\(name)"), value: value, line: line))
      }
    }
    return values
  }
}

/// Joins bands that follow each other without a branch between them to one equaliser.
struct BandJoiner {
  private(set) var project: ForeignProject
  /// The bands of each equaliser, and the filters that they were, by the name of its node.
  private var chains: [String: [(name: String, band: FilterBand)]]

  /// Makes one equaliser of each band; `bands` are keyed by the names of their nodes.
  init(_ project: ForeignProject, _ bands: [String: FilterBand]) {
    self.project = project
    chains = Dictionary(uniqueKeysWithValues: bands.map { ($0, [($0, $1)]) })
  }

  mutating func join() {
    for name in project.nodes.map(\.name) {
      while let next = successor(of: name) { append(next, to: name) }
    }
    for (name, chain) in chains {
      guard let index = project.nodes.firstIndex(where: { $0.name == name }) else { continue }
      project.nodes[index].values = FilterBand.values(
        of: chain.map(\.band), line: project.nodes[index].line)
      usePorts(of: name)
      rename(index, Self.sharedStart(chain.map(\.name)))
    }
  }

  /// Returns the equaliser that gets the output of another one, and nothing else; nil if they cannot be joined.
  private func successor(of name: String) -> String? {
    let leaving = project.connections.filter { $0.from.node == name }
    guard let chain = chains[name], leaving.count == 1, let only = leaving.first, only.gain == 1,
      only.delaySeconds == nil, let next = only.to.node, next != name, let following = chains[next],
      chain.count + following.count <= FilterChainBands.limit,
      project.connections.count(where: { $0.to.node == next }) == 1
    else { return nil }
    return next
  }

  private mutating func append(_ next: String, to name: String) {
    let following = chains.removeValue(forKey: next) ?? []
    chains[name]?.append(contentsOf: following)
    project.nodes.removeAll { $0.name == next }
    project.connections.removeAll { $0.to.node == next }
    for index in project.connections.indices where project.connections[index].from.node == next {
      project.connections[index].from = .init(name, project.connections[index].from.port)
    }
  }

  /// Uses the left channel of the equaliser, which is stereo.
  private mutating func usePorts(of name: String) {
    for index in project.connections.indices {
      let connection = project.connections[index]
      if connection.from == .init(name, .named("Out")) {
        project.connections[index].from.port = .channel(1)
      }
      if connection.to == .init(name, .named("In")) {
        project.connections[index].to.port = .channel(1)
      }
    }
  }

  private mutating func rename(_ index: Int, _ wanted: String) {
    let old = project.nodes[index].name
    guard !wanted.isEmpty, !project.nodes.contains(where: { $0.name == wanted }) else { return }
    project.nodes[index].name = wanted
    for index in project.connections.indices {
      if project.connections[index].from.node == old {
        project.connections[index].from.node = wanted
      }
      if project.connections[index].to.node == old { project.connections[index].to.node = wanted }
    }
  }

  /// Returns what several names start with: `eq_band_1` and `eq_band_2` are `eq_band`.
  private static func sharedStart(_ names: [String]) -> String {
    guard let first = names.first, names.count > 1 else { return "" }
    let shared = names.dropFirst().reduce(first) {
      String(zip($0, $1).prefix { $0 == $1 }.map(\.0))
    }
    return String(shared.reversed().drop { !$0.isLetter }.reversed())
  }
}
