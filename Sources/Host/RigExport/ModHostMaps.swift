// ModHostMaps.swift: MIDI mappings as commands of mod-host. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigPlanning
import RigSchema

/// Writes the command `midi_map` for the mappings of a plan.
///
/// mod-host always jumps, on a linear scale or on that of the plugin. A parameter has one control, and a control moves
/// only one parameter. A switch ignores the range, and `:bypass` is on in the lower half of the control.
struct ModHostMaps {
  let plan: RigPlan
  let instances: [[ExportedInstance]]

  /// The most mappings.
  private static let limit = 1_024
  /// The number that stands for the pitch bend wheel.
  private static let pitchBendNumber = 131

  /// Returns the commands in the order of the rig.
  func lines() throws(RigExportError) -> [String] {
    var lines: [String] = []
    var targets: Set<String> = []
    var controls: Set<String> = []
    for (number, map) in plan.maps.enumerated() {
      guard number < Self.limit else { throw unsupported(map, "a number above \(Self.limit)") }
      let (node, symbol) = try target(map)
      guard let index = plan.nodes.firstIndex(where: { $0.name == node }) else {
        throw unsupported(map, "a nested rig")
      }
      guard instances[index].count == 1 else {
        throw unsupported(map, "a plugin with several instances")
      }
      if symbol == Self.bypass { try ModHostExporter.checkBypass(plan.nodes[index]) }
      guard targets.insert("\(node) \(symbol)").inserted else {
        throw unsupported(map, "the parameter of another mapping")
      }
      let control = try control(map)
      guard controls.insert(control).inserted else {
        throw unsupported(map, "the control of another mapping")
      }
      let ends = symbol == Self.bypass ? [0, 1] : [Float(map.scale.low), Float(map.scale.high)]
      let range = ends.map { plain($0) }.joined(separator: " ")
      lines.append("midi_map \(instances[index][0].number) \(symbol) \(control) \(range)")
    }
    return lines
  }

  /// The symbol that stands for bypass.
  private static let bypass = ":bypass"

  /// Returns the node and the symbol of the target.
  private func target(_ map: MapPlan) throws(RigExportError) -> (node: String, symbol: String) {
    switch map.target {
    case .parameter(let node, let parameter):
      try check(map, parameter)
      return (node, parameter.symbol)
    case .bypass(let node):
      guard (map.scale.low, map.scale.high) == (1, 0) else {
        throw unsupported(map, "a range other than on..off")
      }
      return (node, Self.bypass)
    case .wet, .gain, .action: throw unsupported(map, "a target that is not a parameter")
    }
  }

  private func check(_ map: MapPlan, _ parameter: Parameter) throws(RigExportError) {
    guard !parameter.traits.contains(.trigger) else { throw unsupported(map, "a trigger") }
    if parameter.hasTwoPositions {
      let whole = (Double(parameter.minimum), Double(parameter.maximum))
      guard (map.scale.low, map.scale.high) == whole else {
        throw unsupported(map, "a range for a switch")
      }
      return
    }
    guard !parameter.isEnumeration else { throw unsupported(map, "a list of choices") }
    guard map.scale.isLogarithmic == (parameter.scale == .logarithmic) else {
      throw unsupported(map, "another curve than its parameter")
    }
  }

  /// Returns the channel, from 0, and the number of the control.
  private func control(_ map: MapPlan) throws(RigExportError) -> String {
    guard map.map.mode ?? .jump == .jump else {
      throw unsupported(map, map.map.mode?.description ?? "")
    }
    guard map.scale.stepCount == nil else { throw unsupported(map, "steps") }
    guard !map.map.hasFeedback else { throw unsupported(map, "feedback") }
    let source = map.map.source
    guard source.device == nil else { throw unsupported(map, "a device") }
    let number: Int
    switch source.kind {
    case .controller(let controller): number = controller
    case .pitchBend: number = Self.pitchBendNumber
    case .fineController, .nrpn, .note, .program:
      throw unsupported(map, "another control than cc or bend")
    }
    guard let channel = source.channel else {
      throw .mapWithoutChannel(map: map.map.description, host: ModHostExporter.host)
    }
    return "\(channel - 1) \(number)"
  }

  private func unsupported(_ map: MapPlan, _ key: String) -> RigExportError {
    .unsupportedMap(map: map.map.description, key: key, host: ModHostExporter.host)
  }
}
