// LiveSession+Values.swift: values of several nodes, set as one. SPDX-License-Identifier: MIT

import Manifests
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

extension LiveSession {
  /// Moves values of nodes and connections, as the recall of a scene does: all of them, or none. [main]
  ///
  /// It is one step of the history. Switches and choices change in the middle of the time.
  ///
  /// - Parameters:
  ///   - values: the values by node and symbol, as in `reverb.mix`, `reverb.preset` or `voice -> hall.gain`.
  ///   - seconds: the time; 0 for at once.
  /// - Returns: messages about corrected values.
  /// - Throws: `SetValueError` with all invalid values.
  package func move(_ values: [(symbol: String, text: String)], over seconds: Double) throws
    -> [String]
  {
    var notes: [String] = []
    var scene = RigScene(name: "set", values: [])
    for value in values { scene.values += try written(value.symbol, value.text, &notes) }
    var next = rig
    next.rig.scenes = [scene]
    let settings = graph.engine.settings
    do {
      let plan = try next.plan(
        inputChannelCount: settings.inputChannelCount,
        outputChannelCount: settings.outputChannelCount)
      return notes + (try sceneControl.move(to: plan.scenes[0], over: seconds))
    } catch let error as ManifestError {
      // The values are not in the file.
      let prefix = scene.keyPath + "."
      throw SetValueError(
        messages: error.diagnostics.map { "\($0.keyPath.replacing(prefix, with: "")): \($0.fault)" }
      )
    }
  }

  /// Returns the values of a scene for a value, which may be a preset, or relative to the present one.
  private func written(
    _ symbol: String, _ text: String, _ notes: inout [String]
  ) throws -> [RigParameter] {
    guard let target = RigLane.split(symbol),
      let position = graph.members.firstIndex(where: {
        $0.name.lowercased() == target.node.lowercased()
      })
    else { return [RigParameter(symbol: symbol, text: text)] }
    let member = graph.members[position]
    let symbol = "\(member.name).\(target.symbol)"
    guard let index = member.plugin.parameters.index(ofSymbol: target.symbol) else {
      if target.symbol.lowercased() == "preset" { return try presetValues(text, of: member) }
      return [RigParameter(symbol: symbol, text: absolute(text, target.symbol, ofNode: position))]
    }
    // An invalid value is reported together with all others.
    guard
      case .success(let parsed) = ParameterValue.parse(
        text, for: member.plugin.parameters[index], from: member.nodes[0].parameter(index))
    else { return [RigParameter(symbol: symbol, text: text)] }
    if let note = parsed.note { notes.append("\(member.name): \(note)") }
    return [RigParameter(symbol: symbol, text: plain(parsed.value))]
  }

  /// Returns the value of `bypass` or `wet` for one that is relative to the present one.
  private func absolute(_ text: String, _ symbol: String, ofNode position: Int) -> String {
    let node = rig.rig.nodes[position]
    guard RelativeValue(text) != nil, ["bypass", "wet"].contains(symbol.lowercased()),
      let settings = try? BypassSettings(
        [(symbol, text)], of: node.name, present: (node.wetLevel, node.isBypassed))
    else { return text }
    return settings.wet.map(WetLevel.spelling) ?? settings.isBypassed.map { $0 ? "on" : "off" }
      ?? text
  }

  /// Returns the values of a preset in the description of a module.
  private func presetValues(
    _ name: String, of member: BuiltRig.BuiltNode
  ) throws -> [RigParameter] {
    let (plugin, presets) = (member.plugin, member.plugin.presets)
    guard let preset = presets.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      let hint = nearest(to: name, among: presets.map(\.name)).map { "Did you mean \($0)?" }
      throw SetValueError(messages: [
        "\(member.name): no such preset: \(name). "
          + (hint ?? "It has \(presets.map(\.name).joined(separator: ", ")).")
      ])
    }
    return plugin.parameters.enumerated().map { index, parameter in
      let value = preset.values.last { $0.parameter == index }?.value ?? parameter.defaultValue
      return RigParameter(symbol: "\(member.name).\(parameter.symbol)", text: plain(value))
    }
  }
}

extension LiveSession {
  /// Reads presets that are not in the description of their plugin, and replaces them by their values.
  package struct PresetValues: Sendable {
    fileprivate let presets: [Int: (node: String, name: String, plugin: PluginDescription)]
    fileprivate let configuration: PluginLibrary.Configuration

    /// Returns the values with those of the presets in place of the presets.
    ///
    /// This is slow, because any bundle can contain presets. [any one thread]
    ///
    /// - Throws: `PresetError`, or `SetValueError` if a preset contains more than values of parameters.
    package func replaced(
      in values: [(symbol: String, text: String)]
    ) throws -> [(symbol: String, text: String)] {
      let library = PluginLibrary(configuration, canceller: ChildProcessCanceller())
      var result: [(symbol: String, text: String)] = []
      for (index, value) in values.enumerated() {
        guard let preset = presets[index] else {
          result.append(value)
          continue
        }
        let plugin = preset.plugin
        guard let found = try library.presetValues(preset.name, of: plugin) else {
          throw SetValueError(messages: [
            "\(preset.node): the preset \(preset.name) contains more than values of parameters, so it cannot be"
              + " loaded over time or together with other nodes. Load it alone, with a crossfade:"
              + " `outboard set \(preset.node) preset=NAME`."
          ])
        }
        result += found.map {
          ("\(preset.node).\(plugin.parameters[$0.parameter].symbol)", plain($0.value))
        }
      }
      return result
    }
  }

  /// Returns the presets among values that must be read on another thread first; nil if there are none. [main]
  package func presetValues(
    of values: [(symbol: String, text: String)]
  ) -> PresetValues? {
    var presets: [Int: (node: String, name: String, plugin: PluginDescription)] = [:]
    for (index, value) in values.enumerated() {
      guard let target = RigLane.split(value.symbol), target.symbol.lowercased() == "preset",
        let member = graph.members.first(where: {
          $0.name.lowercased() == target.node.lowercased()
        }), member.plugin.parameters.index(ofSymbol: "preset") == nil, member.plugin.presets.isEmpty
      else { continue }
      presets[index] = (member.name, value.text, member.plugin)
    }
    return presets.isEmpty
      ? nil : PresetValues(presets: presets, configuration: library.sharedConfiguration)
  }
}

extension LiveSession {
  /// Recalls the scene that is `step` positions after the current one; the last is followed by the first. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: the errors of `recall`, or that the rig has no scenes.
  package func recallScene(step: Int) throws -> [String] {
    let all = scenes
    guard !all.isEmpty else {
      throw SetValueError(messages: [
        "This rig has no scenes. To store one, run `outboard scene --store NAME`."
      ])
    }
    let present = all.firstIndex(where: \.isCurrent)
    let next = present.map { $0 + step } ?? (step > 0 ? 0 : all.count - 1)
    return try sceneControl.recall(all[(next + all.count) % all.count].name)
  }
}
