// LiveSession+Values.swift: values of several nodes, set as one. SPDX-License-Identifier: MIT

import Manifests
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
        messages: error.findings.map { "\($0.keyPath.replacing(prefix, with: "")): \($0.fault)" })
    }
  }

  /// Returns the values of a scene for a value, which may be a preset, or relative to the present one.
  private func written(
    _ symbol: String, _ text: String, _ notes: inout [String]
  ) throws -> [RigParameter] {
    guard let target = RigLane.split(symbol),
      let member = graph.members.first(where: { $0.name.lowercased() == target.node.lowercased() })
    else { return [RigParameter(symbol: symbol, text: text)] }
    guard let place = member.plugin.parameters.place(of: target.symbol) else {
      return target.symbol.lowercased() == "preset"
        ? try presetValues(text, of: member) : [RigParameter(symbol: symbol, text: text)]
    }
    // An invalid value is reported together with all others.
    guard
      case .success(let parsed) = ParameterValue.parse(
        text, for: member.plugin.parameters[place], from: member.nodes[0].parameter(place))
    else { return [RigParameter(symbol: symbol, text: text)] }
    if let note = parsed.note { notes.append("\(member.name): \(note)") }
    return [RigParameter(symbol: symbol, text: plain(parsed.value))]
  }

  /// Returns the values of a preset that only sets parameters.
  private func presetValues(
    _ name: String, of member: BuiltRig.BuiltNode
  ) throws -> [RigParameter] {
    let (plugin, presets) = (member.plugin, member.plugin.presets)
    guard !presets.isEmpty else {
      throw SetValueError(messages: [
        "\(member.name): only presets of modules can be loaded over time or together with other nodes."
          + " Load this one alone, with a crossfade: `outboard set \(member.name) preset=NAME`."
      ])
    }
    guard let preset = presets.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      let hint = nearest(to: name, among: presets.map(\.name)).map { "Did you mean \($0)?" }
      throw SetValueError(messages: [
        "\(member.name): no such preset: \(name). "
          + (hint ?? "It has \(presets.map(\.name).joined(separator: ", ")).")
      ])
    }
    return plugin.parameters.enumerated().map { place, parameter in
      let value = preset.values.last { $0.parameter == place }?.value ?? parameter.defaultValue
      return RigParameter(symbol: "\(member.name).\(parameter.symbol)", text: plain(value))
    }
  }
}

extension LiveSession {
  /// Recalls the scene that is `step` places after the current one; the last is followed by the first. [main]
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
