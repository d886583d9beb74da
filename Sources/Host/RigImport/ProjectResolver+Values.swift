// ProjectResolver+Values.swift: the values of an imported node. SPDX-License-Identifier: MIT

import FoundationEssentials
import Manifests
import PluginLoading
import PluginModel
import RigSchema

extension ProjectResolver {
  /// Returns the node of the rig; nil if its plugin is missing.
  mutating func node(_ node: ForeignProject.Node) -> RigNode? {
    guard let plugin = plugins[node.name], let name = names[node.name] else { return nil }
    var result = RigNode(name: name, source: .plugin(plugin.identifier))
    result.isBypassed = node.isBypassed
    result.wetLevel = node.wetLevel
    result.preset = preset(of: node, plugin)
    result.state = state(of: node)
    let keepsDefaults = result.preset != nil || result.state != nil
    var positions: [Int: Int] = [:]
    for value in valuesAfterPreset(of: node, plugin) {
      guard let (index, text) = parameter(value, of: node, plugin) else { continue }
      let parameter = RigParameter(symbol: plugin.parameters[index].symbol, text: text)
      if let position = positions[index] {
        result.parameters[position] = parameter
      } else {
        positions[index] = result.parameters.count
        result.parameters.append(parameter)
      }
    }
    if !keepsDefaults { result.parameters.removeAll { isDefault($0, of: plugin) } }
    result.properties = properties(of: node, plugin)
    return result
  }

  /// Returns the values without those that were set before the preset, and that it replaces.
  private func valuesAfterPreset(
    of node: ForeignProject.Node, _ plugin: PluginDescription
  ) -> [ForeignProject.Value] {
    let later = node.values.dropFirst(node.earlierValueCount)
    guard later.count < node.values.count, let preset = node.preset else { return node.values }
    do {
      // A preset with a state has all values.
      guard let values = try library.presetValues(preset, of: plugin) else { return Array(later) }
      let replaced = Set(values.map(\.parameter))
      return node.values.prefix(node.earlierValueCount).filter { value in
        index(of: value.key, in: plugin).map { !replaced.contains($0) } ?? true
      } + later
    } catch {
      return node.values
    }
  }

  private func isDefault(_ value: RigParameter, of plugin: PluginDescription) -> Bool {
    guard let index = plugin.parameters.index(ofSymbol: value.symbol) else { return false }
    let parameter = plugin.parameters[index]
    return value.text == parameter.spelling(of: parameter.nearestValid(to: parameter.defaultValue))
  }

  // MARK: - Parameters

  /// Returns the parameter of a value, and the text for the rig; nil with a note if there is none.
  private mutating func parameter(
    _ value: ForeignProject.Value, of node: ForeignProject.Node, _ plugin: PluginDescription
  ) -> (index: Int, text: String)? {
    guard let index = index(of: value.key, in: plugin) else {
      // Numbers after those of the inputs are those of meters.
      if case .index = value.key { return nil }
      if value.isOptional { return nil }
      add(node, .unknownParameter(name: "\(value.key)", value: plain(value.value)), value.line)
      return nil
    }
    let parameter = plugin.parameters[index]
    guard value.value.isFinite else {
      add(node, .notANumber(name: parameter.symbol, value: "\(value.value)"), value.line)
      return nil
    }
    let wanted = Float(scaled(value.value, parameter))
    let valid = parameter.nearestValid(to: wanted)
    let text = parameter.spelling(of: valid)
    if abs(valid - wanted) > Self.tolerance * max(abs(wanted), abs(valid)) {
      add(
        node, .valueChanged(name: parameter.symbol, value: plain(wanted), used: text), value.line)
    }
    return (index, text)
  }

  /// The sample rate to which the ranges of parameters refer.
  private static let nominalRateHz = 48_000.0

  /// Returns the value of a parameter whose project may have a share of the sample rate.
  private func scaled(_ value: Double, _ parameter: Parameter) -> Double {
    guard project.dividesByRate, parameter.traits.contains(.scalesWithRate) else { return value }
    return value * Self.nominalRateHz
  }

  // MARK: - MIDI

  /// Returns the mappings of the controls of a node.
  mutating func maps(of node: ForeignProject.Node) -> [RigMap] {
    guard let plugin = plugins[node.name], let name = names[node.name] else { return [] }
    return node.controls.compactMap { control in
      let start = "\(control.source) -> \(name)."
      // mod-host bypasses at the low end.
      if control.parameter == "bypass" { return try? RigMap(start + "bypass on..off") }
      guard let index = plugin.parameters.index(ofSymbol: control.parameter) else {
        add(
          node,
          .unsupported(
            feature: "The control \(control.source)",
            advice: "The plugin has no parameter \(control.parameter)."), control.line)
        return nil
      }
      let parameter = plugin.parameters[index]
      let isWhole = project.switchesIgnoreRange && parameter.hasTwoPositions
      let ends = (isWhole ? nil : control.range)?.map {
        parameter.spelling(of: parameter.nearestValid(to: Float(scaled($0, parameter))))
      }
      let range = ends.map { " " + $0.joined(separator: "..") } ?? ""
      return try? RigMap(start + parameter.symbol + range)
    }
  }

  /// The relative difference that decimal text leaves.
  private static let tolerance: Float = 1e-6

  private func index(of key: ForeignProject.ParameterKey, in plugin: PluginDescription) -> Int? {
    switch key {
    case .named(let name): plugin.parameters.index(ofSymbol: name)
    case .index(let index): plugin.parameters.indices.contains(index) ? index : nil
    }
  }

  // MARK: - Properties, presets and states

  private mutating func properties(
    of node: ForeignProject.Node, _ plugin: PluginDescription
  ) -> [RigParameter] {
    node.properties.compactMap { property in
      guard plugin.properties.contains(where: { $0.uri == property.uri }) else {
        add(
          node, .unknownParameter(name: property.uri, value: property.text.shortened), property.line
        )
        return nil
      }
      guard property.isFile else { return value(of: property, for: node, plugin) }
      let path = property.text.hasPrefix("/") ? property.text : source + property.text
      guard FileManager.default.fileExists(atPath: path) else {
        add(
          node, .unsupported(feature: "The file \(path)", advice: "Copy it there and import again.")
        )
        return nil
      }
      return RigParameter(symbol: property.uri, text: relative(path))
    }
  }

  /// Returns the value of a property; nil with a note if it is not legal.
  private mutating func value(
    of property: ForeignProject.Property, for node: ForeignProject.Node,
    _ plugin: PluginDescription
  ) -> RigParameter? {
    guard let description = plugin.properties.first(where: { $0.uri == property.uri }) else {
      return nil
    }
    var text = property.text
    // Other hosts write truth values as numbers.
    if description.type == .bool, let number = Int(text.trimmed) {
      text = number == 0 ? "off" : "on"
    }
    // The file may be in another directory.
    guard description.type != .path,
      case .failure = PropertyText.parse(text, for: description, directory: directory)
    else { return RigParameter(symbol: property.uri, text: text) }
    add(
      node, .notANumber(name: property.uri, value: property.text.shortened), property.line)
    return nil
  }

  private mutating func preset(
    of node: ForeignProject.Node, _ plugin: PluginDescription
  ) -> BuiltinSetting? {
    guard let name = node.preset else { return nil }
    let presets = (try? library.presets(of: plugin)) ?? []
    guard (try? PresetResolution(presets: presets, plugin: plugin.name).resolve(name)) != nil else {
      add(node, .missingPreset(name: name), node.presetLine)
      return nil
    }
    return BuiltinSetting(key: "preset", text: name)
  }

  private mutating func state(of node: ForeignProject.Node) -> BuiltinSetting? {
    guard let path = node.state else { return nil }
    guard FileManager.default.fileExists(atPath: path) else {
      add(node, .missingState(path: path))
      return nil
    }
    return BuiltinSetting(key: "state", text: relative(path))
  }

  /// Returns a path relative to the rig file if it is in its directory, otherwise the absolute path.
  private func relative(_ path: String) -> String {
    let absolute =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let start = directory + "/"
    return absolute.hasPrefix(start) ? String(absolute.dropFirst(start.count)) : absolute
  }

  private mutating func add(
    _ node: ForeignProject.Node, _ reason: ImportNote.Reason, _ line: Int = 0
  ) {
    notes.append(
      ImportNote(names[node.name] ?? node.name, line: line > 0 ? line : node.line, reason))
  }
}

extension ForeignProject.ParameterKey: CustomStringConvertible {
  /// The name, or the number from 1. [any]
  package var description: String {
    switch self {
    case .named(let name): name
    case .index(let index): "number \(index + 1)"
    }
  }
}
