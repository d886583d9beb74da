// PortWriter.swift: the ports of an exported module. SPDX-License-Identifier: MIT

import PluginModel

/// Writes ports in the order that the shim expects: audio inputs, audio outputs, parameters, control, notify,
/// latency, readouts.
struct PortWriter {
  /// The space for 300 short messages in a block.
  private static let midiBytes = 8_192
  /// The space for two paths of maximum length.
  private static let fileBytes = 16_384
  /// The maximum latency at 48 kHz.
  private static let longestLatency = 480_000

  /// Returns the objects of `lv2:port`.
  let ports: [String]

  init(_ bundle: LV2Bundle, _ groups: [PortGroup]) {
    var ports: [[(String, [String])]] = []
    // Parameters keep their symbols, because presets and rigs refer to them.
    var symbols = Set(bundle.module.parameters.map(\.symbol))
    for (index, port) in bundle.module.audioInputs.enumerated() {
      ports.append(
        Self.audio(port, index, groups.filter { $0.isInput }, "lv2:InputPort", &symbols))
    }
    for (index, port) in bundle.module.audioOutputs.enumerated() {
      ports.append(
        Self.audio(port, index, groups.filter { !$0.isInput }, "lv2:OutputPort", &symbols))
    }
    ports += bundle.module.parameters.map { parameter in
      Self.control(parameter, parameter.symbol, "lv2:InputPort")
    }
    if bundle.module.acceptsMIDI || bundle.acceptsFiles {
      ports.append(Self.control(bundle, &symbols))
    }
    if bundle.acceptsFiles { ports.append(Self.notify(&symbols)) }
    if bundle.reportsLatency { ports.append(Self.latency(&symbols)) }
    for readout in bundle.module.readouts {
      let symbol = PortGroup.unique(readout.symbol, among: &symbols)
      ports.append(Self.control(readout, symbol, "lv2:OutputPort"))
    }
    self.ports = ports.enumerated().map { index, properties in
      Turtle.blank([properties[0], ("lv2:index", ["\(index)"])] + properties.dropFirst())
    }
  }

  private static func audio(
    _ port: AudioPort, _ index: Int, _ groups: [PortGroup], _ direction: String,
    _ symbols: inout Set<String>
  ) -> [(String, [String])] {
    let group = groups.first { $0.members.contains(index) }
    let isSideChain = group?.isSideChain ?? false
    return [
      ("a", [direction, "lv2:AudioPort"]),
      ("lv2:symbol", [Turtle.string(PortGroup.unique(port.symbol, among: &symbols))]),
      ("lv2:name", [Turtle.string(port.name)]),
      ("pg:group", group.map { [$0.resource] } ?? []),
      ("lv2:designation", group?.designation(ofMember: index).map { [$0] } ?? []),
      // The shim uses silence for unconnected ports.
      ("lv2:portProperty", isSideChain ? ["lv2:isSideChain", "lv2:connectionOptional"] : []),
    ]
  }

  private static func control(
    _ parameter: Parameter, _ symbol: String, _ direction: String
  ) -> [(String, [String])] {
    let isInteger = parameter.scale == .integer || isSwitch(parameter)
    let write = isInteger ? Turtle.integer : Turtle.number
    return [
      ("a", [direction, "lv2:ControlPort"]),
      ("lv2:symbol", [Turtle.string(symbol)]),
      ("lv2:name", [Turtle.string(parameter.name)]),
      ("lv2:minimum", [write(parameter.minimum)]),
      ("lv2:default", [write(parameter.defaultValue)]),
      ("lv2:maximum", [write(parameter.maximum)]),
      ("units:unit", parameter.unit.isEmpty ? [] : [LV2Unit.term(for: parameter.unit)]),
      ("lv2:portProperty", properties(of: parameter)),
      ("lv2:scalePoint", scalePoints(of: parameter)),
    ]
  }

  /// Whether a parameter is a toggle: 0 is off, 1 is on.
  private static func isSwitch(_ parameter: Parameter) -> Bool {
    parameter.scale == .toggle && parameter.minimum == 0 && parameter.maximum == 1
  }

  private static func properties(of parameter: Parameter) -> [String] {
    if parameter.isEnumeration { return ["lv2:integer", "lv2:enumeration"] }
    switch parameter.scale {
    case .linear: return []
    case .logarithmic: return ["pprops:logarithmic"]
    case .integer: return ["lv2:integer"]
    case .toggle:
      let isTrigger = parameter.traits.contains(.trigger)
      return [isSwitch(parameter) ? "lv2:toggled" : "lv2:enumeration"]
        + (isTrigger ? ["pprops:trigger"] : [])
    }
  }

  private static func scalePoints(of parameter: Parameter) -> [String] {
    var choices = parameter.choices
    // A switch with values other than 0 and 1 has only these two.
    if parameter.scale == .toggle, !isSwitch(parameter) {
      for (value, name) in [(parameter.minimum, "Off"), (parameter.maximum, "On")]
      where !choices.contains(where: { $0.value == value }) {
        choices.append(Parameter.Choice(value: value, name: name))
      }
    }
    let write = parameter.scale == .integer || isSwitch(parameter) ? Turtle.integer : Turtle.number
    return choices.map {
      Turtle.shortBlank([
        ("rdfs:label", [Turtle.string($0.name)]), ("rdf:value", [write($0.value)]),
      ])
    }
  }

  /// Returns the input port for MIDI and file messages.
  ///
  /// Without MIDI a host may leave it unconnected.
  private static func control(
    _ bundle: LV2Bundle, _ symbols: inout Set<String>
  ) -> [(String, [String])] {
    let hasMIDI = bundle.module.acceptsMIDI
    let (symbol, name) = hasMIDI ? ("midi_in", "MIDI in") : ("control", "Control")
    let supported =
      (hasMIDI ? ["midi:MidiEvent"] : []) + (bundle.acceptsFiles ? ["patch:Message"] : [])
    let bytes = (hasMIDI ? midiBytes : 0) + (bundle.acceptsFiles ? fileBytes : 0)
    return [
      ("a", ["lv2:InputPort", "atom:AtomPort"]),
      ("lv2:symbol", [Turtle.string(PortGroup.unique(symbol, among: &symbols))]),
      ("lv2:name", [Turtle.string(name)]), ("lv2:designation", ["lv2:control"]),
      ("lv2:portProperty", hasMIDI ? [] : ["lv2:connectionOptional"]),
      ("atom:bufferType", ["atom:Sequence"]), ("atom:supports", supported),
      ("rsz:minimumSize", ["\(bytes)"]),
    ]
  }

  /// Returns the output port for file messages.
  private static func notify(_ symbols: inout Set<String>) -> [(String, [String])] {
    [
      ("a", ["lv2:OutputPort", "atom:AtomPort"]),
      ("lv2:symbol", [Turtle.string(PortGroup.unique("notify", among: &symbols))]),
      ("lv2:name", [Turtle.string("Notify")]), ("lv2:designation", ["lv2:control"]),
      ("lv2:portProperty", ["lv2:connectionOptional"]),
      ("atom:bufferType", ["atom:Sequence"]), ("atom:supports", ["patch:Message"]),
      ("rsz:minimumSize", ["\(fileBytes)"]),
    ]
  }

  private static func latency(_ symbols: inout Set<String>) -> [(String, [String])] {
    [
      ("a", ["lv2:OutputPort", "lv2:ControlPort"]),
      ("lv2:symbol", [Turtle.string(PortGroup.unique("latency", among: &symbols))]),
      ("lv2:name", [Turtle.string("Latency")]), ("lv2:designation", ["lv2:latency"]),
      ("lv2:minimum", ["0"]), ("lv2:default", ["0"]), ("lv2:maximum", ["\(longestLatency)"]),
      ("units:unit", ["units:frame"]),
      (
        "lv2:portProperty",
        ["lv2:reportsLatency", "lv2:integer", "lv2:connectionOptional", "pprops:notOnGUI"]
      ),
    ]
  }
}
