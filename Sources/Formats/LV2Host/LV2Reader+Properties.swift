// LV2Reader+Properties.swift: reads the properties of a plugin. SPDX-License-Identifier: MIT

internal import CLilv
internal import PluginModel

extension LV2Reader {
  /// Returns the writable and readable properties, by URI. [main]
  func properties() -> [Property] {
    var found: [String: Property] = [:]
    for isWritable in [true, false] {
      let predicate = LV2.patch + (isWritable ? "writable" : "readable")
      for node in ofPlugin(predicate) {
        defer { lilv_node_free(node) }
        guard lilv_node_is_uri(node) else { continue }
        let uri = world.string(node)
        var property = found[uri] ?? property(uri, node)
        if isWritable { property.isWritable = true } else { property.isReadable = true }
        found[uri] = property
      }
    }
    return found.values.sorted { $0.uri < $1.uri }
  }

  private func property(_ uri: String, _ node: OpaquePointer) -> Property {
    var property = Property(uri: uri, name: "", type: .undeclared)
    property.name = text(of: node, LV2.schema + "label") ?? property.symbol
    let comment = text(of: node, LV2.schema + "comment") ?? ""
    property.summary = comment.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    property.type = type(of: node, uri)
    property.elementType =
      text(of: node, LV2.atom + "childType").flatMap { LV2.propertyTypes[$0] } ?? .float
    property.unit = unit(of: node)
    property.minimum = text(of: node, LV2.core + "minimum").flatMap(Self.number)
    property.maximum = text(of: node, LV2.core + "maximum").flatMap(Self.number)
    property.defaultValue = text(of: node, LV2.core + "default").flatMap {
      PropertyValue(literal: $0, type: property.type)
    }
    property.choices = choices(of: node, property.type)
    return property
  }

  private func type(of node: OpaquePointer, _ uri: String) -> PropertyType {
    for range in values(of: node, LV2.schema + "range") {
      if let type = LV2.propertyTypes[range] { return type }
    }
    // The vocabulary of common parameters is not loaded; all of its parameters are floats.
    return uri.hasPrefix(LV2.parameters) ? .float : .undeclared
  }

  private func unit(of node: OpaquePointer) -> String {
    guard let unit = nodes(of: node, LV2.units + "unit").first else { return "" }
    defer { lilv_node_free(unit) }
    if let known = world.string(unit).tail(after: LV2.units) {
      return LV2.unitSymbols[known] ?? known
    }
    return world.value(of: unit, terms.unitSymbol) ?? ""
  }

  private func choices(of node: OpaquePointer, _ type: PropertyType) -> [Property.Choice] {
    let points = nodes(of: node, LV2.core + "scalePoint")
    defer { points.forEach { lilv_node_free($0) } }
    let choices = points.compactMap { point -> Property.Choice? in
      guard let name = text(of: point, LV2.schema + "label"),
        let written = text(of: point, LV2.syntax + "value"),
        let value = PropertyValue(literal: written, type: type)
      else { return nil }
      return Property.Choice(value: value, name: name)
    }
    return choices.sorted { ($0.value.number ?? 0, $0.name) < ($1.value.number ?? 0, $1.name) }
  }

  // MARK: - Nodes

  private static func number(_ text: String) -> Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  private func text(of subject: OpaquePointer, _ predicate: String) -> String? {
    values(of: subject, predicate).first
  }

  private func values(of subject: OpaquePointer, _ predicate: String) -> [String] {
    nodes(of: subject, predicate).map { node in
      defer { lilv_node_free(node) }
      return world.string(node)
    }
  }

  /// Returns copies that the caller frees.
  private func nodes(of subject: OpaquePointer, _ predicate: String) -> [OpaquePointer] {
    copies(predicate) { lilv_world_find_nodes(world.world, subject, $0, nil) }
  }

  private func ofPlugin(_ predicate: String) -> [OpaquePointer] {
    copies(predicate) { lilv_plugin_get_value(record, $0) }
  }

  private func copies(
    _ predicate: String, _ find: (OpaquePointer) -> UnsafeMutableRawPointer?
  ) -> [OpaquePointer] {
    guard let term = lilv_new_uri(world.world, predicate) else { return [] }
    defer { lilv_node_free(term) }
    guard let found = find(term) else { return [] }
    defer { lilv_nodes_free(found) }
    return world.nodes(found).compactMap { lilv_node_duplicate($0) }
  }
}

extension PropertyValue {
  /// Returns a Turtle literal as a value of a type; nil if it is invalid. [any]
  init?(literal text: String, type: PropertyType) {
    switch type {
    case .bool:
      guard ["true", "false", "1", "0"].contains(text) else { return nil }
      self = .bool(text == "true" || text == "1")
    case .int:
      guard let number = Int32(text) ?? Double(text).flatMap({ Int32(exactly: $0) }) else {
        return nil
      }
      self = .int(number)
    case .long:
      guard let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }) else {
        return nil
      }
      self = .long(number)
    case .float:
      guard let number = Float(text) else { return nil }
      self = .float(number)
    case .double:
      guard let number = Double(text) else { return nil }
      self = .double(number)
    case .string: self = .string(text)
    case .path: self = .path(text)
    case .uri: self = .uri(text)
    case .vector, .undeclared: return nil
    }
  }
}

extension LV2Reader {
  /// Records the MIDI of a port.
  func recordMIDISupport(
    _ info: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    guard lilv_port_supports_event(record, info.port, terms.midiEvent) else { return }
    port.carriesMIDI = true
    if info.isInput {
      // Several inputs get the same MIDI unless one is designated.
      if !description.acceptsMIDI || port.isControl { description.midiSymbols.input = info.symbol }
      description.acceptsMIDI = true
    } else {
      if !description.producesMIDI { description.midiSymbols.output = info.symbol }
      description.producesMIDI = true
    }
  }
}
