// LV2Reader+Ports.swift: reads the ports of a plugin. SPDX-License-Identifier: MIT

internal import CLilv
internal import PluginModel

/// The declaration of a port in lilv.
private struct PortInfo {
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
    let facts = (0 ..< count).map { index in
      readPortInfo(UInt32(index), minima[index], defaults[index], maxima[index])
    }
    // A plugin with CV but no audio uses those ports as its signal.
    let hasAudio = facts.contains { $0?.types.contains(LV2.core + "AudioPort") ?? false }
    plugin.ports = facts.map { facts in
      guard let facts else { return LV2Port(role: .unknown) }
      return port(facts, treatsVoltageAsAudio: !hasAudio, &plugin.description)
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
    _ facts: PortInfo, treatsVoltageAsAudio: Bool, _ description: inout PluginDescription
  ) -> LV2Port {
    var port = LV2Port(role: .unknown)
    port.isOptional = facts.properties.contains(LV2.core + "connectionOptional")
    if facts.types.contains(LV2.core + "AudioPort") {
      port.role = addAudio(facts, &description)
    } else if facts.types.contains(LV2.core + "ControlPort") {
      addControl(facts, &port, &description)
    } else if facts.types.contains(LV2.cvPort) {
      port.restValue = facts.isInput ? facts.restValue : 0
      if treatsVoltageAsAudio {
        port.role = addAudio(facts, &description)
      } else {
        port.role = addVoltage(facts, &description)
      }
    } else if facts.types.contains(LV2.atom + "AtomPort") {
      addAtom(facts, &port, &description)
    } else if facts.types.contains(LV2.eventPort) {
      port.role = facts.isInput ? .eventInput : .eventOutput
      recordMIDISupport(facts, &port, &description)
      description.otherPorts.append("event")
    }
    return port
  }

  private func addAudio(_ facts: PortInfo, _ description: inout PluginDescription) -> LV2Port.Role {
    let main = facts.isInput ? terms.mainInput : terms.mainOutput
    let audio = AudioPort(
      symbol: facts.symbol, name: facts.name, group: group(of: facts),
      isMain: isIn(main, facts.port))
    if facts.isInput {
      description.audioInputs.append(audio)
      return .audioInput
    }
    description.audioOutputs.append(audio)
    return .audioOutput
  }

  private func addVoltage(
    _ facts: PortInfo, _ description: inout PluginDescription
  ) -> LV2Port.Role {
    let port = AudioPort(
      symbol: facts.symbol, name: facts.name, group: group(of: facts),
      restValue: facts.isInput ? facts.restValue : 0)
    if facts.isInput {
      description.cvInputs.append(port)
      return .cvInput
    }
    description.cvOutputs.append(port)
    return .cvOutput
  }

  private func addAtom(
    _ facts: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    port.role = facts.isInput ? .atomInput : .atomOutput
    port.isControl = facts.designation == LV2.core + "control"
    port.minimumSizeBytes = values(of: facts.port, terms.minimumSize).first.flatMap { Int($0) } ?? 0
    recordMIDISupport(facts, &port, &description)
    port.carriesPatch = supports(facts, LV2.patch + "Message")
    if facts.isInput, supports(facts, LV2.time + "Position") {
      port.carriesTime = true
      if !description.transportFacts.contains("position") {
        description.transportFacts.append("position")
      }
    }
    description.otherPorts.append("atom")
  }

  private func recordMIDISupport(
    _ facts: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    guard lilv_port_supports_event(record, facts.port, terms.midiEvent) else { return }
    port.carriesMIDI = true
    if facts.isInput { description.acceptsMIDI = true } else { description.producesMIDI = true }
  }

  private func addControl(
    _ facts: PortInfo, _ port: inout LV2Port, _ description: inout PluginDescription
  ) {
    port.isTrigger = facts.properties.contains(LV2.portProperties + "trigger")
    port.isScaledByRate = facts.properties.contains(LV2.core + "sampleRate")
    switch (facts.isInput, facts.designation) {
    case (true, LV2.core + "freeWheeling"):
      port.role = .freeWheeling
    case (true, let designation) where LV2TimeField(designation: designation) != nil:
      guard let fact = LV2TimeField(designation: designation) else { return }
      port.role = .time(fact)
      port.restValue = facts.restValue
      description.transportFacts.append(fact.word)
    case (true, _):
      port.role = .parameter(description.parameters.count)
      port.isDefaultScaledByRate = range(facts).isDefaultScaled
      description.parameters.append(parameter(facts))
    case (false, LV2.core + "latency"):
      port.role = .latency
      description.reportsLatency = true
    case (false, _) where facts.properties.contains(LV2.core + "reportsLatency"):
      port.role = .latency
      description.reportsLatency = true
    case (false, _):
      port.role = .readout(description.readouts.count)
      description.readouts.append(parameter(facts))
    }
  }

  private func supports(_ facts: PortInfo, _ event: String) -> Bool {
    guard let node = lilv_new_uri(world.world, event) else { return false }
    defer { lilv_node_free(node) }
    return lilv_port_supports_event(record, facts.port, node)
  }

  /// Returns `sidechain` for a side-chain port, otherwise the symbol of its group.
  private func group(of facts: PortInfo) -> String {
    if facts.properties.contains(LV2.core + "isSideChain") { return "sidechain" }
    guard let values = lilv_port_get_value(record, facts.port, terms.group) else { return "" }
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

  private func range(_ facts: PortInfo) -> LV2Range {
    LV2Range(
      minimum: facts.minimum, defaultValue: facts.defaultValue, maximum: facts.maximum,
      isToggle: facts.properties.contains(LV2.core + "toggled"),
      scale: facts.properties.contains(LV2.core + "sampleRate")
        ? Float(LV2Plugin.nominalRateHz) : 1)
  }

  private func parameter(_ facts: PortInfo) -> Parameter {
    let range = range(facts)
    let choices = choices(of: facts.port)
    if facts.isInput, facts.designation == LV2.core + "enabled" { return enabling(facts) }
    return Parameter(
      symbol: facts.symbol, name: facts.name, unit: unit(of: facts.port),
      minimum: range.minimum, defaultValue: range.defaultValue, maximum: range.maximum,
      scale: scale(facts, range), choices: choices,
      // A default outside the scale points shows that they are not a complete list.
      isEnumeration: facts.properties.contains(LV2.core + "enumeration")
        && choices.contains { $0.value == range.defaultValue }, traits: facts.traits)
  }

  /// 1 while the plugin is enabled; the declared default does not matter.
  ///
  /// A plugin starts enabled. Values below 0 are reserved.
  private func enabling(_ facts: PortInfo) -> Parameter {
    Parameter(
      symbol: facts.symbol, name: facts.name, defaultValue: 1, scale: .toggle,
      traits: facts.traits.union(.enables))
  }

  private func scale(_ facts: PortInfo, _ range: LV2Range) -> ParameterScale {
    if facts.properties.contains(LV2.core + "toggled") { return .toggle }
    if facts.properties.contains(LV2.core + "integer") { return .integer }
    let isLogarithmic = facts.properties.contains(LV2.portProperties + "logarithmic")
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
