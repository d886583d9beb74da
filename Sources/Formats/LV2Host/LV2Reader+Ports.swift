// LV2Reader+Ports.swift: reads the ports of a plugin. SPDX-License-Identifier: MIT

internal import CLilv
internal import PluginModel

/// The declaration of a port in lilv.
struct PortInfo {
  var port: OpaquePointer
  var types: Set<String>
  var properties: Set<String>
  var designation: String
  var symbol: String
  var name: String
  /// The declared minimum; NaN if missing.
  var minimum: Float
  var defaultValue: Float
  var maximum: Float

  /// The default, or 0 if missing.
  var restValue: Float { defaultValue.isFinite ? defaultValue : 0 }
  var isInput: Bool { types.contains(LV2.core + "InputPort") }

  var traits: ParameterTraits {
    var traits: ParameterTraits = []
    for (name, trait) in LV2.parameterTraits
    where properties.contains(LV2.portProperties + name) {
      traits.insert(trait)
    }
    if properties.contains(LV2.core + "sampleRate") { traits.insert(.scalesWithRate) }
    return traits
  }
}

extension LV2Reader {
  // MARK: - All ports

  /// Reads all ports into the plugin and its description. [main]
  func readPorts(into plugin: inout LV2Plugin) {
    let count = Int(lilv_plugin_get_num_ports(record))
    var minima = [Float](repeating: .nan, count: count)
    var maxima = minima
    var defaults = minima
    lilv_plugin_get_port_ranges_float(record, &minima, &maxima, &defaults)
    let info = (0 ..< count).map { index in
      readPortInfo(UInt32(index), minima[index], defaults[index], maxima[index])
    }
    // A plugin with CV but no audio uses those ports as its signal.
    let hasAudio = info.contains { $0?.types.contains(LV2.core + "AudioPort") ?? false }
    plugin.ports = info.map { info in
      guard let info else { return LV2Port(role: .unknown) }
      return port(info, treatsVoltageAsAudio: !hasAudio, &plugin.description)
    }
  }

  /// Returns the symbol of a port, or its index if it has none. [main]
  func portSymbol(_ index: UInt32) -> String {
    guard let port = lilv_plugin_get_port_by_index(record, index) else { return "\(index)" }
    return world.string(lilv_port_get_symbol(record, port))
  }

  /// Returns the type of an unsupported port. [main]
  func unknownType(ofPort index: UInt32) -> String {
    guard let port = lilv_plugin_get_port_by_index(record, index) else { return "none" }
    let directions: Set<String> = [
      LV2.core + "InputPort", LV2.core + "OutputPort", LV2.core + "Port",
    ]
    let types = world.nodes(lilv_port_get_classes(record, port)).map { world.string($0) }
    return types.first { !directions.contains($0) } ?? "none"
  }

  private func readPortInfo(
    _ index: UInt32, _ minimum: Float, _ defaultValue: Float, _ maximum: Float
  ) -> PortInfo? {
    guard let port = lilv_plugin_get_port_by_index(record, index) else { return nil }
    let symbol = world.string(lilv_port_get_symbol(record, port))
    let nameNode = lilv_port_get_name(record, port)
    defer { lilv_node_free(nameNode) }
    let name = world.string(nameNode)
    return PortInfo(
      port: port,
      types: Set(world.nodes(lilv_port_get_classes(record, port)).map { world.string($0) }),
      properties: Set(values(of: port, terms.portProperty)),
      designation: values(of: port, terms.designation).first ?? "",
      symbol: symbol, name: name.isEmpty ? symbol : name,
      minimum: minimum, defaultValue: defaultValue, maximum: maximum)
  }

  private func values(of port: OpaquePointer, _ predicate: OpaquePointer) -> [String] {
    guard let values = lilv_port_get_value(record, port, predicate) else { return [] }
    defer { lilv_nodes_free(values) }
    return world.nodes(values).map { world.string($0) }
  }

  // MARK: - One port

  private func port(
    _ info: PortInfo, treatsVoltageAsAudio: Bool, _ description: inout PluginDescription
  ) -> LV2Port {
    var port = LV2Port(role: .unknown)
    port.isOptional = info.properties.contains(LV2.core + "connectionOptional")
    if info.types.contains(LV2.core + "AudioPort") {
      port.role = addAudio(info, &description)
    } else if info.types.contains(LV2.core + "ControlPort") {
      addControl(info, &port, &description)
    } else if info.types.contains(LV2.cvPort) {
      port.restValue = info.isInput ? info.restValue : 0
      if treatsVoltageAsAudio {
        port.role = addAudio(info, &description)
      } else {
        port.role = addVoltage(info, &description)
      }
    } else if info.types.contains(LV2.atom + "AtomPort") {
      addAtom(info, &port, &description)
    } else if info.types.contains(LV2.eventPort) {
      port.role = info.isInput ? .eventInput : .eventOutput
      recordMIDISupport(info, &port, &description)
      description.otherPorts.append("event")
    }
    return port
  }

  private func addAudio(_ info: PortInfo, _ description: inout PluginDescription) -> LV2Port.Role {
    let main = info.isInput ? terms.mainInput : terms.mainOutput
    let audio = AudioPort(
      symbol: info.symbol, name: info.name, group: group(of: info),
      isMain: isIn(main, info.port))
    if info.isInput {
      description.audioInputs.append(audio)
      return .audioInput
    }
    description.audioOutputs.append(audio)
    return .audioOutput
  }

  private func addVoltage(
    _ info: PortInfo, _ description: inout PluginDescription
  ) -> LV2Port.Role {
    let port = AudioPort(
      symbol: info.symbol, name: info.name, group: group(of: info),
      restValue: info.isInput ? info.restValue : 0)
    if info.isInput {
      description.cvInputs.append(port)
      return .cvInput
    }
    description.cvOutputs.append(port)
    return .cvOutput
  }

  private func addAtom(
    _ info: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    port.role = info.isInput ? .atomInput : .atomOutput
    port.isControl = info.designation == LV2.core + "control"
    port.minimumSizeBytes = values(of: info.port, terms.minimumSize).first.flatMap { Int($0) } ?? 0
    recordMIDISupport(info, &port, &description)
    port.carriesPatch = supports(info, LV2.patch + "Message")
    if info.isInput, supports(info, LV2.time + "Position") {
      port.carriesTime = true
      if !description.transportFacts.contains("position") {
        description.transportFacts.append("position")
      }
    }
    description.otherPorts.append("atom")
  }

  private func addControl(
    _ info: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    port.isTrigger = info.properties.contains(LV2.portProperties + "trigger")
    port.isScaledByRate = info.properties.contains(LV2.core + "sampleRate")
    switch (info.isInput, info.designation) {
    case (true, LV2.core + "freeWheeling"):
      port.role = .freeWheeling
    case (true, let designation) where LV2TimeField(designation: designation) != nil:
      guard let field = LV2TimeField(designation: designation) else { return }
      port.role = .time(field)
      port.restValue = info.restValue
      description.transportFacts.append(field.rawValue)
    case (true, _):
      port.role = .parameter(description.parameters.count)
      port.isDefaultScaledByRate = range(info).isDefaultScaled
      description.parameters.append(parameter(info))
    case (false, LV2.core + "latency"):
      port.role = .latency
      description.reportsLatency = true
    case (false, _) where info.properties.contains(LV2.core + "reportsLatency"):
      port.role = .latency
      description.reportsLatency = true
    case (false, _):
      port.role = .readout(description.readouts.count)
      description.readouts.append(parameter(info))
    }
  }

  private func supports(_ info: PortInfo, _ event: String) -> Bool {
    guard let node = lilv_new_uri(world.world, event) else { return false }
    defer { lilv_node_free(node) }
    return lilv_port_supports_event(record, info.port, node)
  }

  /// Returns `sidechain` for a side-chain port, otherwise the symbol of its group.
  private func group(of info: PortInfo) -> String {
    if info.properties.contains(LV2.core + "isSideChain") { return "sidechain" }
    guard let values = lilv_port_get_value(record, info.port, terms.group) else { return "" }
    defer { lilv_nodes_free(values) }
    guard let group = lilv_nodes_get_first(values) else { return "" }
    if world.value(of: group, terms.sideChainOf) != nil { return "sidechain" }
    if let symbol = world.value(of: group, terms.symbol) { return symbol }
    if let name = world.value(of: group, terms.name) { return name }
    return world.string(group).split(whereSeparator: { $0 == "#" || $0 == "/" }).last.map(
      String.init)
      ?? ""
  }

  /// Whether a port belongs to the group of a predicate.
  private func isIn(_ predicate: OpaquePointer, _ port: OpaquePointer) -> Bool {
    guard let groups = lilv_plugin_get_value(record, predicate) else { return false }
    defer { lilv_nodes_free(groups) }
    guard let group = lilv_nodes_get_first(groups) else { return false }
    return values(of: port, terms.group).contains(world.string(group))
  }

  // MARK: - Parameters

  private func range(_ info: PortInfo) -> LV2Range {
    LV2Range(
      minimum: info.minimum, defaultValue: info.defaultValue, maximum: info.maximum,
      isToggle: info.properties.contains(LV2.core + "toggled"),
      scale: info.properties.contains(LV2.core + "sampleRate")
        ? Float(LV2Plugin.nominalRateHz) : 1)
  }

  private func parameter(_ info: PortInfo) -> Parameter {
    let range = range(info)
    let choices = choices(of: info.port)
    if info.isInput, info.designation == LV2.core + "enabled" { return enabling(info) }
    return Parameter(
      symbol: info.symbol, name: info.name, unit: unit(of: info.port),
      minimum: range.minimum, defaultValue: range.defaultValue, maximum: range.maximum,
      scale: scale(info, range), choices: choices,
      // A default outside the scale points shows that they are not a complete list.
      isEnumeration: info.properties.contains(LV2.core + "enumeration")
        && choices.contains { $0.value == range.defaultValue }, traits: info.traits)
  }

  /// 1 while the plugin is enabled; the declared default does not matter.
  ///
  /// A plugin starts enabled. Values below 0 are reserved.
  private func enabling(_ info: PortInfo) -> Parameter {
    Parameter(
      symbol: info.symbol, name: info.name, defaultValue: 1, scale: .toggle,
      traits: info.traits.union(.enables))
  }

  private func scale(_ info: PortInfo, _ range: LV2Range) -> ParameterScale {
    if info.properties.contains(LV2.core + "toggled") { return .toggle }
    if info.properties.contains(LV2.core + "integer") { return .integer }
    let isLogarithmic = info.properties.contains(LV2.portProperties + "logarithmic")
    return isLogarithmic && range.minimum > 0 ? .logarithmic : .linear
  }

  private func choices(of port: OpaquePointer) -> [Parameter.Choice] {
    guard let points = lilv_port_get_scale_points(record, port) else { return [] }
    defer { lilv_scale_points_free(points) }
    var choices: [Parameter.Choice] = []
    var position = lilv_scale_points_begin(points)
    while !lilv_scale_points_is_end(points, position) {
      if let point = lilv_scale_points_get(points, position),
        let value = lilv_scale_point_get_value(point)
      {
        choices.append(
          Parameter.Choice(
            value: lilv_node_as_float(value),
            name: world.string(lilv_scale_point_get_label(point))))
      }
      position = lilv_scale_points_next(points, position)
    }
    return choices.sorted { ($0.value, $0.name) < ($1.value, $1.name) }
  }

  private func unit(of port: OpaquePointer) -> String {
    guard let values = lilv_port_get_value(record, port, terms.unit) else { return "" }
    defer { lilv_nodes_free(values) }
    guard let unit = lilv_nodes_get_first(values) else { return "" }
    if let known = world.string(unit).tail(after: LV2.units) {
      return LV2.unitSymbols[known] ?? known
    }
    if let symbol = world.value(of: unit, terms.unitSymbol) { return symbol }
    return world.value(of: unit, terms.unitRender).map(LV2.unitSymbol(inRender:)) ?? ""
  }
}
