// RigWriter.swift: from a rig's description to its manifest. SPDX-License-Identifier: MIT

import AudioDriver
import Manifests
import PluginModel

/// Writes the manifest of a rig.
///
/// `RigReader` reads the same rig from the text, except for positions and notes. Node names that connections
/// could not use are changed to legal ones.
package enum RigWriter {
  /// Returns the text of a manifest. [any]
  ///
  /// - Parameters:
  ///   - rig: the rig; errors in it are written too.
  ///   - heading: a comment at the top with any number of lines; empty for none.
  /// - Returns: a text that ends with a newline.
  package static func text(of rig: RigDescription, heading: String = "") -> String {
    var lines =
      heading.isEmpty ? [] : heading.split(separator: "\n").map { YAMLText.comment(String($0)) }
    lines.append("outboard: \(RigReader.knownVersion)")
    lines.append("name: \(YAMLText.scalar(rig.name))")
    if !rig.summary.isEmpty { lines.append("description: \(YAMLText.scalar(rig.summary))") }
    lines += section(stream(rig))
    lines += section(devices("input", rig.inputs) + devices("output", rig.outputs))
    let writtenNodes = rig.nodes.filter { $0.origin == nil }
    let nested = rig.nested.filter(\.isOutermost)
    var names = legalNames(writtenNodes)
    for rig in nested { (names[rig.inputName], names[rig.outputName]) = (rig.name, rig.name) }
    // Node names may contain the separators of connections.
    for connection in rig.connections where connection.scope.isEmpty && !connection.carriesMIDI {
      names[connection.label] =
        "\(end(connection.from, names)) -> \(end(connection.to, names))"
    }
    lines += section(midi(rig.midi, rig.maps, names) + transport(rig.transport, rig.clock))
    if !writtenNodes.isEmpty || !nested.isEmpty {
      lines += section(["nodes:"] + nodes(of: rig, names))
    }
    let connections = rig.connections.filter { $0.scope.isEmpty }
      .map { "  - \(connection($0, names))" }
    lines += section([connections.isEmpty ? "connections: []" : "connections:"] + connections)
    if !rig.automation.isEmpty {
      lines += section(["automation:"] + rig.automation.flatMap { lane($0, names) })
    }
    if !rig.scenes.isEmpty {
      lines += section(["scenes:"] + rig.scenes.flatMap { scene($0, names) })
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

  // MARK: - Stream and devices

  private static func stream(_ rig: RigDescription) -> [String] {
    var lines: [String] = []
    if let rate = rig.sampleRateHz { lines.append("rate: \(rate)") }
    if let period = rig.periodFrames { lines.append("period: \(period)") }
    if let count = rig.periodCount { lines.append("periods: \(count)") }
    if rig.waitsForDevice { lines.append("wait: true") }
    if rig.isDithered { lines.append("dither: true") }
    if !rig.suppressesFeedback { lines.append("feedback_suppression: off") }
    if !rig.watchesDeadline { lines.append("overload_protection: off") }
    if !rig.guardsAgainstOffset { lines.append("dc_protection: off") }
    return lines
  }

  private static func devices(_ key: String, _ devices: [RigDevice]) -> [String] {
    switch devices.count {
    case 0: []
    case 1: ["\(key): \(device(devices[0].request))"]
    default: ["\(key):"] + devices.map { "  - \(device($0.request))" }
    }
  }

  private static func device(_ request: DeviceRequest) -> String {
    var entries = ["device: \(YAMLText.scalar(request.device))"]
    if let channels = request.channels {
      entries.append("channels: [\(channels.map { "\($0 + 1)" }.joined(separator: ", "))]")
    } else if let count = request.channelCount {
      entries.append("channels: \(count)")
    }
    if let format = request.format { entries.append("format: \(YAMLText.scalar(format))") }
    if request.clock != .automatic { entries.append("clock: \(request.clock.rawValue)") }
    if !request.fallbacks.isEmpty {
      entries.append("fallback: \(YAMLText.list(request.fallbacks))")
    }
    if request.keepsWhatRuns { entries.append("keep_fallback: true") }
    return "{\(entries.joined(separator: ", "))}"
  }

  private static func midi(_ midi: RigMIDI, _ maps: [RigMap], _ names: [String: String]) -> [String]
  {
    var lines: [String] = []
    if !midi.inputs.isEmpty { lines.append("  input: \(YAMLText.list(midi.inputs))") }
    if !midi.outputs.isEmpty { lines.append("  output: \(YAMLText.list(midi.outputs))") }
    if !maps.isEmpty {
      lines += ["  map:"] + maps.map { "    - \(YAMLText.scalar(map($0, names)))" }
    }
    return lines.isEmpty ? [] : ["midi:"] + lines
  }

  private static func map(_ map: RigMap, _ names: [String: String]) -> String {
    guard map.action == nil, let (node, symbol) = RigLane.split(map.target) else {
      return map.description
    }
    var renamed = map
    renamed.target = "\(names[node] ?? node).\(symbol)"
    return renamed.description
  }

  private static func transport(_ transport: TransportSettings, _ clock: RigClock) -> [String] {
    guard transport != TransportSettings() || clock != RigClock() else { return [] }
    var entries = [
      "tempo: \(plain(transport.beatsPerMinute))",
      "time_signature: \(transport.beatsPerBar)/\(transport.beatUnit)",
    ]
    if !transport.isRolling { entries.append("rolling: false") }
    if let device = clock.input { entries.append("clock: \(YAMLText.scalar(device))") }
    if !clock.outputs.isEmpty { entries.append("clock_output: \(YAMLText.list(clock.outputs))") }
    return ["transport: {\(entries.joined(separator: ", "))}"]
  }

  // MARK: - Nodes

  static func node(_ node: RigNode, _ names: [String: String]) -> [String] {
    var lines = ["  \(YAMLText.scalar(names[node.name] ?? node.name)):"]
    switch node.source {
    case .plugin(let plugin): lines.append("    plugin: \(YAMLText.scalar(plugin))")
    case .builtin(let word): lines.append("    builtin: \(YAMLText.scalar(word))")
    }
    if let count = node.instanceCount { lines.append("    instances: \(count)") }
    if node.isolation != .automatic {
      lines.append("    isolate: \(isolation(node.isolation))")
    }
    if node.isSandboxed { lines.append("    sandbox: on") }
    lines += node.settings.map(setting)
    for setting in [node.preset, node.state].compactMap(\.self) {
      lines.append("    \(setting.key): \(YAMLText.scalar(setting.text))")
    }
    lines += bypassLines((node.isBypassed, node.wetLevel), before: (false, 1))
    return lines + values("parameters", node.parameters) + values("properties", node.properties)
  }

  private static func isolation(_ isolation: NodeIsolation) -> String {
    let process = YAMLText.scalar(isolation.processText)
    return isolation.isBlockLate
      ? "{group: \(process), latency: \(NodeIsolation.blockWord)}" : process
  }

  private static func setting(_ setting: BuiltinSetting) -> String {
    let isList = setting.key == "files"
    let text =
      isList
      ? YAMLText.list(setting.texts)
      : YAMLText.scalar(setting.text)
    return "    \(YAMLText.scalar(setting.key)): \(text)"
  }

  static func values(_ key: String, _ values: [RigParameter]) -> [String] {
    guard !values.isEmpty else { return [] }
    return ["    \(key):"]
      + values.map { "      \(YAMLText.scalar($0.symbol)): \(YAMLText.scalar($0.text))" }
  }

  /// Returns a name for each node that connections can use: its own if possible.
  private static func legalNames(_ nodes: [RigNode]) -> [String: String] {
    var taken = Set(nodes.map(\.name).filter(RigNodeReader.isNodeName)).union(["in", "out"])
    var names: [String: String] = [:]
    for node in nodes where !RigNodeReader.isNodeName(node.name) {
      let stem = legalName(node.name)
      var name = stem
      var number = 1
      while taken.contains(name) {
        number += 1
        name = "\(stem)-\(number)"
      }
      taken.insert(name)
      names[node.name] = name
    }
    return names
  }

  /// Replaces all characters except letters and digits by hyphens. [any]
  package static func legalName(_ name: String) -> String {
    // A plugin can have a name of any length.
    let letters = name.unicodeScalars.prefix(40).map(Character.init)
      .map { $0.isLetter || $0.isNumber ? $0 : "-" }
    let words = String(letters).split(separator: "-").joined(separator: "-").lowercased()
    return words.first?.isLetter == true ? words : words.isEmpty ? "node" : "node-\(words)"
  }

  // MARK: - Connections

  private static func connection(_ connection: RigConnection, _ names: [String: String]) -> String {
    let (from, to) = (end(connection.from, names), end(connection.to, names))
    guard connection.gainDecibels != 0 || connection.delaySeconds != nil else {
      return YAMLText.scalar("\(from) -> \(to)")
    }
    var entries = ["from: \(YAMLText.scalar(from))", "to: \(YAMLText.scalar(to))"]
    if connection.gainDecibels != 0 {
      entries.append(
        "gain: \(ConnectionGain.isSilent(connection.gainDecibels) ? "off" : plain(connection.gainDecibels))"
      )
    }
    if let delay = connection.delaySeconds { entries.append("delay: \(plain(delay)) s") }
    return "{\(entries.joined(separator: ", "))}"
  }

  private static func end(_ end: ConnectionEndpoint, _ names: [String: String]) -> String {
    let location =
      switch end.location {
      case .input: "in"
      case .output: "out"
      case .node(let name): names[name] ?? name
      }
    return location + end.ports.suffix
  }
}
