// InfoCommand.swift: `outboard info`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import InstalledFormats
import PluginLoading
import PluginModel
import PluginReports

/// Shows everything about one plugin.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show ports, parameters and presets of a plugin.")

  @Argument(help: "Plugin URI, id, part of the name, or path.")
  var plugin: String
  @OptionGroup var helperArguments: HelperArguments
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    helperArguments.begin()
    let library = PluginLibrary()
    var found = try library.find(
      plugin, adviceForRig: "`outboard graph` shows its connections.")
    let presets = presets(of: found, library)
    found.refusal = found.refusal ?? library.preflightError(of: found)
    if json {
      JSONOutput.print(
        PluginReport(found, presets: presets, isolation: library.isolationReason(of: found)))
    } else {
      for line in lines(found, presets, library) { Terminal.output.writeLine(line) }
    }
  }

  /// A bundle that cannot be read hides presets only, so the plugin is still shown.
  private func presets(
    of plugin: PluginDescription, _ library: PluginLibrary
  ) -> [PluginPreset] {
    do {
      return try library.presets(of: plugin)
    } catch {
      Terminal.error.writeLine("outboard: \(error)")
      return []
    }
  }

  private func lines(
    _ plugin: PluginDescription, _ presets: [PluginPreset], _ library: PluginLibrary
  )
    -> [String]
  {
    var lines = [plugin.name, "  \(plugin.identifier)"]
    if !plugin.summary.isEmpty { lines.append("  \(plugin.summary)") }
    lines.append("")
    lines += detailLines(plugin, library.isolationReason(of: plugin))
    lines += ports("Audio inputs", plugin.audioInputs) + ports("Audio outputs", plugin.audioOutputs)
    lines += voltages("CV inputs", plugin.cvInputs) + ports("CV outputs", plugin.cvOutputs)
    lines += controls("Parameters", plugin.parameters, hasDefaults: true)
    lines += PropertyTable.lines(plugin.properties)
    lines += controls("Readouts", plugin.readouts, hasDefaults: false)
    lines += presets.isEmpty ? [] : ["", "Presets"] + PresetFormatter.lines(presets)
    lines += list("Required features", plugin.requiredFeatures)
    lines += list("Optional features", plugin.optionalFeatures)
    return lines
  }

  private func detailLines(_ plugin: PluginDescription, _ reason: IsolationReason?) -> [String] {
    var table = Table([.init(""), .init("")])
    func add(_ name: String, _ text: String) {
      if !text.isEmpty { table.add(["  \(name)", text]) }
    }
    add("Kind", plugin.kind.rawValue)
    add("Category", plugin.category)
    add("Vendor", plugin.maker)
    add("License", plugin.licence)
    add("Library", plugin.library)
    add(
      "MIDI",
      [plugin.acceptsMIDI ? "in" : "", plugin.producesMIDI ? "out" : ""]
        .filter { !$0.isEmpty }.joined(separator: ", "))
    add("Transport", plugin.transportFacts.joined(separator: ", "))
    add("Other ports", plugin.otherPorts.joined(separator: ", "))
    add("Latency", plugin.reportsLatency ? "reported while it runs" : "not reported")
    add("Rates", plugin.module?.ratesHz.map { "\($0) Hz" }.joined(separator: ", ") ?? "")
    add("Blocks", plugin.module?.block.text ?? "")
    add("Declared", declarations(plugin).joined(separator: ", "))
    let bypass = plugin.enablingParameter.map { plugin.parameters[$0].symbol }
    add("Bypass", bypass.map { "\($0) = 0, without a click" } ?? "")
    add("Isolated", plugin.kind == .builtin ? "" : reason.map { "yes, because \($0.text)" } ?? "no")
    add("Hosted", plugin.refusal.map { "no: \($0)" } ?? "yes")
    return table.lines(width: nil)
  }

  /// The features that the LV2 plugin declares and that matter to users.
  private func declarations(_ plugin: PluginDescription) -> [String] {
    let features = plugin.requiredFeatures + plugin.optionalFeatures
    let words = [
      "hardRTCapable": "real-time safe",
      "inPlaceBroken": "not in place (gets separate buffers)",
      "isLive": "for live use",
    ]
    return words.filter { features.contains("http://lv2plug.in/ns/lv2core#" + $0.key) }
      .map(\.value).sorted()
  }

  private func ports(_ title: String, _ ports: [AudioPort]) -> [String] {
    guard !ports.isEmpty else { return [] }
    var table = Table([.init(""), .init(""), .init("")])
    for port in ports {
      let group = port.isMain ? "\(port.group) (main)" : port.group
      table.add(["  \(port.symbol)", port.name, group])
    }
    return ["", title] + table.lines(width: nil)
  }

  /// Lists CV inputs as ports, with their defaults.
  private func voltages(_ title: String, _ ports: [AudioPort]) -> [String] {
    guard !ports.isEmpty else { return [] }
    var table = Table([
      .init("  SYMBOL"), .init("DEFAULT", .right), .init("NAME"), .init("GROUP"),
    ])
    for port in ports {
      table.add(["  \(port.symbol)", number(port.restValue), port.name, port.group])
    }
    return ["", title] + table.lines(width: nil)
  }

  private func controls(_ title: String, _ parameters: [Parameter], hasDefaults: Bool) -> [String] {
    guard !parameters.isEmpty else { return [] }
    var table = Table([
      .init("  SYMBOL"), .init("DEFAULT", .right), .init("MINIMUM", .right),
      .init("MAXIMUM", .right), .init("UNIT"), .init("SCALE"), .init("NAME"),
    ])
    for parameter in parameters {
      table.add([
        "  \(parameter.symbol)", hasDefaults ? number(parameter.defaultValue) : "",
        number(parameter.minimum), number(parameter.maximum), parameter.unit,
        parameter.isEnumeration ? "choice" : parameter.scale.rawValue, parameter.name,
      ])
    }
    var lines = ["", title] + table.lines(width: nil)
    for parameter in parameters where !parameter.traits.isEmpty {
      lines.append("  \(parameter.symbol): \(parameter.traits.names.joined(separator: ", "))")
    }
    for parameter in parameters where !parameter.choices.isEmpty {
      let choices = parameter.choices.map { "\(number($0.value)) = \($0.name)" }
      lines.append("  \(parameter.symbol): \(choices.joined(separator: ", "))")
    }
    return lines
  }

  private func number(_ value: Float) -> String { NumberFormat.short(Double(value)) }

  private func list(_ title: String, _ entries: [String]) -> [String] {
    entries.isEmpty ? [] : ["", title] + entries.map { "  \($0)" }
  }
}

extension ModuleRequirements.Block {
  /// The block lengths that a module needs; empty if it accepts any.
  fileprivate var text: String {
    switch self {
    case .any: ""
    case .fixed(let count): "exactly \(count) frames"
    case .multiple(let count): "multiples of \(count) frames"
    case .maximum(let count): "at most \(count) frames"
    }
  }
}
