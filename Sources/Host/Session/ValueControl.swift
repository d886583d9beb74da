// ValueControl.swift: sets values by hand. SPDX-License-Identifier: MIT

import Manifests
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

/// Sets values of nodes, nested rigs and connections by hand.
final class ValueControl {
  let active: ActiveRig
  let scenes: SceneControl

  var graph: LiveGraph { active.graph }
  var rig: PreparedRig { active.rig }

  init(_ active: ActiveRig, _ scenes: SceneControl) {
    (self.active, self.scenes) = (active, scenes)
  }

  /// Sets parameters and properties of a node, or the gain of a connection.
  ///
  /// Sets all values, or none if one of them is invalid.
  ///
  /// Values take effect in the next block. A module that gets another file is crossfaded.
  ///
  /// - Parameters:
  ///   - name: the node's name in the rig, in any letter case, or a connection as in
  ///     `voice -> hall`.
  ///   - values: the values by symbol or name, in the syntax of a rig file.
  ///   - directory: the directory that relative paths start from.
  /// - Returns: messages about corrected values.
  /// - Throws: `SetValueError` with all invalid values.
  func set(
    _ name: String, to values: [(symbol: String, text: String)], directory: String
  ) throws -> [String] {
    if ConnectionSpecifier.matches(name) { return try set(connection: name, to: values) }
    if !graph.members.contains(where: { $0.name == name }), let nested = nestedIndex(name) {
      return try set(nested: nested, to: values, directory: directory)
    }
    let position = try index(ofMember: name)
    let member = graph.members[position]
    let (own, past) = try Self.split(values, member)
    let wanted = RequestedValues(own, of: member, directory: directory)
    guard wanted.mistakes.isEmpty else { throw SetValueError(messages: wanted.mistakes) }
    let bypass = past.isEmpty ? nil : try plannedBypass(past, ofNode: position)
    // Steps that can fail come first.
    try set(wanted.properties, ofMember: position)
    let notes = try bypass.map { try startMorph($0, pastNode: position) } ?? []
    scenes.drop(wanted.parameters.map(\.index), of: member.name)
    let lanes = active.overrideUntilNextPoint(wanted.parameters.map(\.index), ofMember: position)
    for (index, value) in wanted.parameters {
      for node in graph.members[position].nodes { node.setParameter(index, to: value) }
    }
    return wanted.notes + notes + lanes
  }

  /// Separates parameters of the node from `bypass` and `wet`, unless the node has parameters with
  /// these names.
  private static func split(
    _ values: [(symbol: String, text: String)], _ member: BuiltRig.BuiltNode
  ) throws -> (own: [(symbol: String, text: String)], past: [(symbol: String, text: String)]) {
    func isBypassSymbol(_ value: (symbol: String, text: String)) -> Bool {
      ["bypass", "wet"].contains(value.symbol.lowercased())
        && member.plugin.parameters.index(ofSymbol: value.symbol) == nil
        && Property.index(of: value.symbol, in: member.plugin.properties) == nil
    }
    return (values.filter { !isBypassSymbol($0) }, values.filter(isBypassSymbol))
  }

  /// Parses values of `bypass` and `wet`, and checks that the rig allows them.
  private func plannedBypass(
    _ values: [(symbol: String, text: String)], ofNode position: Int
  ) throws -> BypassSettings {
    let node = rig.rig.nodes[position]
    let changes = try BypassSettings(
      values, of: node.name, present: (node.wetLevel, node.isBypassed))
    let settings = graph.engine.settings
    _ = try withBypass(changes, ofNode: position).plan(
      inputChannelCount: settings.inputChannelCount,
      outputChannelCount: settings.outputChannelCount)
    return changes
  }

  private func withBypass(_ changes: BypassSettings, ofNode position: Int) -> PreparedRig {
    let node = rig.rig.nodes[position]
    var next = rig
    next.rig.nodes[position].wetLevel = changes.wet ?? node.wetLevel
    next.rig.nodes[position].isBypassed = changes.isBypassed ?? node.isBypassed
    return next
  }

  /// Ends the bypass morph of the node.
  private func startMorph(_ changes: BypassSettings, pastNode position: Int) throws -> [String] {
    let name = graph.members[position].name
    scenes.dropBypass(of: name)
    return try active.change(to: withBypass(changes, ofNode: position))
      + active.overrideUntilNextPoint(changes, of: name)
  }

  /// Sets the properties of a node, or re-creates the node if it accepts them only at its start.
  private func set(
    _ properties: [(index: Int, value: PropertyValue)], ofMember position: Int
  ) throws {
    let member = graph.members[position]
    guard !properties.isEmpty else { return }
    let before = active.undoStep(for: rig)
    do {
      let nodes = member.nodes.compactMap(\.capabilities.properties)
      if nodes.first?.acceptsPropertiesWhileRendering == true, member.needsOtherSandbox(properties)
      {
        try widenSandbox(of: member.name, at: position, for: properties)
      } else if nodes.first?.acceptsPropertiesWhileRendering == true {
        for node in nodes {
          for (index, value) in properties { try node.setProperty(index, to: value) }
        }
      } else {
        try replace(member, at: position, with: properties)
      }
    } catch let error as SetValueError {
      throw error
    } catch {
      throw SetValueError(messages: ["\(member.name): \(error)"])
    }
    // A graph that is re-created starts with these values.
    for (index, value) in properties {
      active.recordProperty(member.plugin.properties[index], value, ofNode: position)
      active.graph.recordProperty(index, value, ofMember: position)
    }
    active.history.record(before)
  }

  /// All nodes are created before any is activated, so an error leaves the session unchanged.
  private func replace(
    _ member: BuiltRig.BuiltNode, at position: Int,
    with properties: [(index: Int, value: PropertyValue)]
  ) throws {
    var replacements: [(HotSwapNode, any Node)] = []
    for swap in member.hotSwapNodes {
      let node = try active.library.makeNode(
        member.plugin, graph.configuration(ofMember: position, with: properties))
      for (index, value) in properties {
        try node.capabilities.properties?.setProperty(index, to: value)
      }
      guard swap.fits(node) else {
        throw SetValueError(messages: [
          "\(member.name) would change its latency. Write the file into the rig and"
            + " restart the session."
        ])
      }
      ActiveRig.transferParameters(from: swap, member.plugin, to: node, member.plugin)
      try node.activate()
      replacements.append((swap, node))
    }
    for (swap, node) in replacements { swap.replace(with: node) }
  }

  /// Re-creates a node in a sandbox in which it can read the files of these properties; its state moves with it.
  private func widenSandbox(
    of name: String, at position: Int, for properties: [(index: Int, value: PropertyValue)]
  ) throws {
    try active.recreate(name, at: position, for: properties)
    // After the state, which has other values.
    for node in graph.members[position].nodes {
      for (index, value) in properties {
        try node.capabilities.properties?.setProperty(index, to: value)
      }
    }
  }

  private func index(ofMember name: String) throws(SetValueError) -> Int {
    if let exact = graph.members.firstIndex(where: { $0.name == name }) { return exact }
    let lower = name.lowercased()
    let close = graph.members.indices.filter { graph.members[$0].name.lowercased() == lower }
    if close.count == 1 { return close[0] }
    let names =
      graph.members.map(\.name).filter { !RecordingTaps.isTap($0) } + rig.rig.nested.map(\.name)
    let hint =
      nearest(to: name, among: names).map { "Did you mean \($0)?" }
      ?? "The rig has \(names.joined(separator: ", "))."
    throw SetValueError(messages: ["No such node: \(name). \(hint)"])
  }
}
