// ModHostExporter.swift: rigs as command files of mod-host. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
package import RigPlanning
package import RigSchema

/// Writes command files of mod-host.
package enum ModHostExporter: RigExporter {
  package static let host = "mod-host"
  package static let keys: Set<RigExportKey> = [.bypass, .maps, .midi, .properties, .transport]
  /// mod-host reads lines into a buffer of 1,024 bytes.
  private static let lineLimit = 1022

  package static func text(
    of rig: RigDescription, _ plan: RigPlan
  ) throws(RigExportError) -> String {
    try checkNodes(rig, plan)
    for (node, described) in zip(plan.nodes, rig.nodes) where described.isBypassed {
      try checkBypass(node)
    }
    let instances = instances(of: plan)
    let bypassed = Set(rig.nodes.filter(\.isBypassed).map(\.name))
    var lines: [String] = []
    // mod-host starts with 120 and 4, too.
    let (tempo, beats) = (rig.transport.beatsPerMinute, rig.transport.beatsPerBar)
    if (tempo, beats) != (120, 4) { lines += ["set_bpm \(plain(tempo))", "set_bpb \(beats)"] }
    if let node = plan.nodes.first(where: { !$0.plugin.transportFacts.isEmpty }) {
      guard rig.transport.beatUnit == 4 else { throw key("a beat that is not 1/4", node.name) }
      let isRolling = rig.transport.isRolling ? 1 : 0
      lines.append("transport \(isRolling) \(beats) \(plain(tempo))")
    }
    for instance in instances.joined() {
      lines.append("add \(instance.node.plugin.identifier) \(instance.number)")
      if let preset = instance.node.preset {
        lines.append("preset_load \(instance.number) \(preset.identifier)")
      }
      for value in instance.node.values {
        let symbol = instance.node.plugin.parameters[value.parameter].symbol
        lines.append("param_set \(instance.number) \(symbol) \(plain(value.value))")
      }
      lines += try properties(of: instance)
      if bypassed.contains(instance.node.name) { lines.append("bypass \(instance.number) 1") }
    }
    var linked: Set<[RigPlan.Channel]> = []
    for link in plan.links {
      if link.gain != 1 || !link.factors.isEmpty { throw unsupported(link, "a gain", plan) }
      if link.delaySeconds != nil { throw unsupported(link, "a delay", plan) }
      // A second connection of the same ports doubles the signal only here.
      guard linked.insert([link.from, link.to]).inserted else {
        throw unsupported(link, "a gain", plan)
      }
      let from = jackPort(link.from, "system:capture_", isSource: true, instances)
      let to = jackPort(link.to, "system:playback_", isSource: false, instances)
      lines.append("connect \(from) \(to)")
    }
    lines += midiConnections(plan, instances)
    lines += try ModHostMaps(plan: plan, instances: instances).lines()
    return lines.joined(separator: "\n") + "\n"
  }

  /// Rejects a bypass with another path than that of mod-host: each output repeats the input with its number, or the
  /// last one.
  static func checkBypass(_ node: RigPlan.PlannedNode) throws(RigExportError) {
    let plugin = node.plugin
    let inputs = plugin.audioInputs.indices.filter {
      plugin.audioInputs.isUnnamedPort(plugin.audioInputs[$0])
    }
    let hasSamePath = plugin.audioOutputs.indices.allSatisfy { output in
      guard plugin.audioOutputs.isUnnamedPort(plugin.audioOutputs[output]) else { return false }
      guard let last = plugin.audioInputs.indices.last else { return true }
      let input = inputs.count == 1 ? inputs[0] : output < inputs.count ? inputs[output] : nil
      return input == min(output, last)
    }
    let isMixed = inputs.count > 1 && inputs.count != plugin.audioOutputs.count
    guard hasSamePath, !isMixed, plugin.cvOutputs.isEmpty else {
      throw key("bypass with other outputs than inputs", node.name)
    }
    guard !plugin.parameters.contains(where: { $0.traits.contains(.enables) }) else {
      throw key("bypass and a switch in the plugin itself", node.name)
    }
  }

  /// Returns the commands for the properties of an instance.
  private static func properties(of instance: ExportedInstance) throws(RigExportError) -> [String] {
    var lines: [String] = []
    for setting in instance.node.properties {
      let property = instance.node.plugin.properties[setting.property]
      let text: String
      switch setting.value {
      case .bool(let isOn): text = isOn ? "1" : "0"
      case .int(let number): text = "\(number)"
      case .long(let number): text = "\(number)"
      case .float(let number): text = plain(number)
      case .double(let number): text = plain(number)
      case .string(let value), .path(let value), .uri(let value): text = "\"\(value)\""
      case .vector: throw key("a vector", instance.node.name)
      }
      let line = "patch_set \(instance.number) \(property.uri) \(text)"
      let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || scalar.value == 0x7F }
      // A backslash before a quotation mark keeps the mark.
      guard line.utf8.count <= lineLimit, !text.dropFirst().dropLast().contains("\""),
        !text.unicodeScalars.contains(where: isControl), !text.hasSuffix("\\\"")
      else {
        throw .unwritableText(node: instance.node.name, property: property.name, host: host)
      }
      lines.append(line)
    }
    return lines
  }

  /// Returns the commands for the MIDI connections, also those that a rig has without writing them.
  private static func midiConnections(
    _ plan: RigPlan, _ instances: [[ExportedInstance]]
  ) -> [String] {
    func ports(
      _ node: Int?, _ border: String, _ symbol: KeyPath<MIDISymbols, String>
    ) -> [String] {
      guard let node else { return [border] }
      return instances[node].map {
        "effect_\($0.number):\($0.node.plugin.midiSymbols[keyPath: symbol])"
      }
    }
    return plan.eventLinks.flatMap { link in
      ports(link.from, "system:midi_capture_1", \.output).flatMap { from in
        ports(link.to, "system:midi_playback_1", \.input).map { "connect \(from) \($0)" }
      }
    }
  }

  private static func jackPort(
    _ channel: RigPlan.Channel, _ border: String, isSource: Bool,
    _ instances: [[ExportedInstance]]
  ) -> String {
    guard let port = port(channel, isSource: isSource, instances) else {
      return border + "\(channel.index + 1)"
    }
    return "effect_\(port.instance.number):\(port.symbol)"
  }
}
