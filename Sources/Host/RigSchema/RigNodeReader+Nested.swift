// RigNodeReader+Nested.swift: rigs that are nodes of the one that is read. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// A node that is a nested rig, as it was read.
struct NestedRigReference {
  /// A change to a node of the nested rig.
  struct Change {
    let name: String
    let position: SourcePosition
    let keyPath: String
    var parameters: [RigParameter] = []
    var properties: [RigParameter] = []
    var preset: BuiltinSetting?
    var state: BuiltinSetting?
    var isBypassed: Bool?
    var wetLevel: Float?
    var changes: [Change] = []
  }

  /// The number of nodes before it.
  let index: Int
  let name: String
  let position: SourcePosition
  let path: String
  let pathPosition: SourcePosition
  /// All that is said of it.
  let change: Change
}

extension RigNodeReader {
  private static let nestedKeys = ["rig", "parameters", "nodes", "bypass", "wet"]
  private static let changeKeys = [
    "parameters", "properties", "preset", "state", "bypass", "wet", "nodes",
  ]

  /// Whether a node is said to be a rig.
  static func isRig(_ field: ManifestField) -> Bool {
    guard case .mapping(let entries) = field.value.node.content else { return false }
    return entries.contains { $0.key == "rig" }
  }

  /// Reads a nested rig; returns nil if its file cannot be determined.
  static func readRig(_ field: ManifestField, after index: Int) -> NestedRigReference? {
    checkName(field)
    let expected = ExpectedValue(what: "a node", example: "\(field.key): {rig: voice.yaml}")
    guard let entries = field.value.entries(expected) else { return nil }
    if let other = entries.first(where: { ["plugin", "builtin"].contains($0.key) }) {
      other.report(.conflictingKeys(first: "rig", second: other.key))
      return nil
    }
    guard let fields = field.value.fields(known: nestedKeys, expected),
      let cursor = fields["rig"],
      let path = cursor.text(ExpectedValue(what: "a rig's file", example: "rig: voice.yaml"))
    else { return nil }
    return NestedRigReference(
      index: index, name: field.key, position: field.position, path: path,
      pathPosition: cursor.node.position, change: change(field, fields))
  }

  private static func change(_ field: ManifestField, _ fields: ManifestFields)
    -> NestedRigReference.Change
  {
    let diagnostics = field.value.diagnostics
    func placed(_ setting: BuiltinSetting?) -> BuiltinSetting? {
      guard var setting else { return nil }
      let keyPath = "\(field.value.keyPath).\(setting.key)"
      setting.location = SourceLocation(file: diagnostics.file, keyPath: keyPath)
      return setting
    }
    func placed(_ values: [RigParameter], _ key: String) -> [RigParameter] {
      values.map { value in
        var value = value
        let keyPath = "\(field.value.keyPath).\(key).\(value.symbol)"
        value.location = SourceLocation(file: diagnostics.file, keyPath: keyPath)
        return value
      }
    }
    var change = NestedRigReference.Change(
      name: field.key, position: field.position, keyPath: field.value.keyPath)
    if let values = fields["parameters"] {
      change.parameters = placed(readValues(values), "parameters")
    }
    if let values = fields["properties"] {
      change.properties = placed(readProperties(values), "properties")
    }
    change.preset = placed(readText("preset", "a preset's name", example: "Large hall", fields))
    change.state = placed(readText("state", "a directory", example: "reverb.state", fields))
    change.isBypassed = fields["bypass"]?.boolean(example: "bypass: true")
    change.wetLevel = fields["wet"].flatMap(readWetLevel)
    let expected = ExpectedValue(
      what: "a mapping of the rig's nodes to their changes",
      example: "nodes: {compressor: {parameters: {ratio: 4}}}")
    change.changes = (fields["nodes"]?.entries(expected) ?? []).compactMap { field in
      field.value.fields(known: changeKeys, expected).map { Self.change(field, $0) }
    }
    return change
  }
}
