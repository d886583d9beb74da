// EasyEffectsPreset.swift: presets of EasyEffects. SPDX-License-Identifier: MIT

import Glibc
import Manifests

/// Presets of EasyEffects 6 and later: JSON with plugins in series, for the output or the input.
enum EasyEffectsPreset: ProjectFormat {
  private static let sections = ["output", "input"]
  private static let orderKey = "plugins_order"

  static func recognises(_ source: ProjectSource) -> Bool {
    source.entries == nil && source.text.contains("\"\(orderKey)\"")
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    let root = try RelaxedJSON.parse(source, isStrict: true)
    guard let section = sections.lazy.compactMap({ root[$0] }).first(where: { $0.isObject }) else {
      throw ImportError.unknownFormat(path: source.path)
    }
    var project = ForeignProject(format: "EasyEffects preset", name: source.stem)
    project.topology = .series(channelCount: 2)
    for item in section[orderKey]?.items ?? [] {
      guard !project.isFull, let name = item.text else { continue }
      add(name, section[name], line: section[name]?.line ?? item.line, to: &project)
    }
    return project
  }

  private static func add(
    _ instance: String, _ values: RelaxedJSON?, line: Int, to project: inout ForeignProject
  ) {
    // Later versions number the instances.
    let kind = String(instance.prefix { $0 != "#" })
    // Up to version 7 the filter was another plugin, and only that one has an inertia.
    let isOldFilter = kind == "filter" && values?["inertia"] != nil
    let plugin = EasyEffectsTable.plugins[isOldFilter ? "filter-7" : kind]
    var node = ForeignProject.Node(
      name: project.freeName(instance.replacing("#0", with: "")),
      plugin: plugin.map { .lv2($0.uri) } ?? .other(format: "EasyEffects", name: kind), line: line)
    node.isBypassed = values?["bypass"]?.boolean ?? false
    node.inputGain = gain(values?["input-gain"])
    node.outputGain = gain(values?["output-gain"])
    for entry in plugin?.entries ?? [] {
      for (key, symbol) in EasyEffectsBands.expanded(entry, values) {
        guard let value = value(at: key, in: values) else { continue }
        read(value, key, symbol, entry.meaning, into: &node, &project)
      }
    }
    for (key, symbol, value) in EasyEffectsTable.absent[kind] ?? [] where values?[key] == nil {
      node.values.append(.init(key: .named(symbol), value: value, line: line))
    }
    project.nodes.append(node)
    guard kind == "convolver" else { return }
    let kernel = (values?["kernel-name"] ?? values?["kernel-path"])?.text ?? ""
    project.notes.append(
      ImportNote(
        node.name, line: line,
        .unsupported(
          feature: kernel.isEmpty ? "The impulse response" : "The impulse response \(kernel)",
          advice:
            "Insert `plugin: outboard.convolver` with the file as `impulse`. EasyEffects keeps"
            + " such files in ~/.local/share/easyeffects/irs.")))
  }

  private static func gain(_ value: RelaxedJSON?) -> Double {
    guard let decibels = value?.number, decibels.isFinite, decibels <= 40 else { return 1 }
    return pow(10, decibels / 20)
  }

  private static func value(at key: String, in values: RelaxedJSON?) -> RelaxedJSON? {
    key.split(separator: "/").reduce(values) { $0?[String($1)] }
  }

  private static func read(
    _ value: RelaxedJSON, _ key: String, _ symbol: String, _ meaning: EasyEffectsTable.Meaning,
    into node: inout ForeignProject.Node, _ project: inout ForeignProject
  ) {
    guard let number = number(value, meaning) else {
      project.notes.append(
        ImportNote(
          node.name, line: value.line,
          .notANumber(name: key, value: (value.text ?? "a list").shortened)))
      return
    }
    var result = ForeignProject.Value(key: .named(symbol), value: number, line: value.line)
    // Newer versions of the plugins have more parameters, which do nothing at 0.
    result.isOptional = number == 0
    node.values.append(result)
  }

  /// Returns the value of the parameter; nil if it has none.
  private static func number(
    _ value: RelaxedJSON, _ meaning: EasyEffectsTable.Meaning
  ) -> Double? {
    if case .label(let labels) = meaning {
      let text = value.text?.lowercased()
      return labels.firstIndex { $0.lowercased() == text }.map(Double.init)
    }
    guard let number = value.number, number.isFinite else { return nil }
    switch meaning {
    case .value, .label: return number
    case .decibels: return pow(10, number / 20)
    case .decibelsOrSilence: return number <= -100 ? 0 : pow(10, number / 20)
    }
  }
}

/// The bands of equalisers and multiband processors.
private enum EasyEffectsBands {
  /// The largest number of bands of a plugin.
  private static let limit = 32

  /// Returns the keys and symbols of an entry for each band.
  static func expanded(
    _ entry: EasyEffectsTable.Entry, _ values: RelaxedJSON?
  ) -> [(key: String, symbol: String)] {
    guard entry.key.contains("#") else { return [(entry.key, entry.symbol)] }
    let count = values?["num-bands"]?.number.flatMap { Int(exactly: $0) } ?? limit
    return (0 ..< min(max(count, 0), limit)).map { band in
      (entry.key.replacing("#", with: "\(band)"), entry.symbol.replacing("#", with: "\(band)"))
    }
  }
}
