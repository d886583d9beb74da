// RigNodeReader.swift: a rig's nodes and their values. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// Reads the nodes of a rig.
enum RigNodeReader {
  private static let sourceKeys = ["plugin", "builtin"]
  private static let pluginKeys = [
    "plugin", "preset", "state", "parameters", "properties", "instances", "isolate",
    "sandbox", "bypass", "wet",
  ]
  private static let builtinKeys = ["builtin", "parameters", "bypass", "wet"]
  private static let channelKeys = ["channels", "inputs", "outputs"]
  private static let recorderKeys = ["file", "format", "autostart", "preroll", "split"]
  private static let playerKeys = [
    "files", "start_delay", "start_position", "loop", "crossfade",
  ]
  private static let meterKeys = ["log", "interval", "rotate", "keep_files"]
  /// The maximum number of nodes, which limits the depth of the search for loops.
  static let nodeLimit = 1000
  private static let instanceCounts = 1 ... 64
  private static let channelCounts = 1 ... 64

  /// Reads the nodes; omits those that are too incomplete.
  static func readNodes(_ cursor: ManifestCursor) -> ([RigNode], [NestedRigReference]) {
    let expected = ExpectedValue(
      what: "a mapping of names to nodes", example: "reverb: {plugin: outboard.reverb}")
    let repeated = { DiagnosticKind.duplicateNode(firstLine: $0) }
    let fields = cursor.entries(expected, repeated: repeated) ?? []
    guard fields.count <= nodeLimit else {
      cursor.report(
        .outOfRange(found: "\(fields.count) nodes", minimum: "none", maximum: "\(nodeLimit)"))
      return ([], [])
    }
    var nodes: [RigNode] = []
    var rigs: [NestedRigReference] = []
    for field in fields {
      if isRig(field) {
        if let rig = readRig(field, after: nodes.count) { rigs.append(rig) }
      } else if let node = readNode(field) {
        nodes.append(node)
      }
    }
    return (nodes, rigs)
  }

  private static func readNode(_ field: ManifestField) -> RigNode? {
    checkName(field)
    let expected = ExpectedValue(
      what: "a node", example: "\(field.key): {plugin: outboard.reverb}")
    guard let entries = field.value.entries(expected) else { return nil }
    let fields = ManifestFields(
      owner: field.value, fields: entries, known: pluginKeys + builtinKeys)
    let source = readSource(fields)
    var node = RigNode(
      name: field.key, source: source?.0 ?? .plugin(""), position: field.position,
      sourcePosition: source?.1 ?? field.position)
    let count = ExpectedValue(what: "a whole number of instances", example: "instances: 2")
    if let parameters = fields["parameters"] { node.parameters = readValues(parameters) }
    node.isBypassed = fields["bypass"]?.boolean(example: "bypass: true") ?? false
    if let wet = fields["wet"] { node.wetLevel = readWetLevel(wet) ?? 1 }
    if case .builtin = node.source {
      node.settings = readSettings(fields)
    } else {
      if let properties = fields["properties"] { node.properties = readProperties(properties) }
      if let isolate = fields["isolate"] { node.isolation = readIsolation(isolate) ?? .automatic }
      node.isSandboxed = fields["sandbox"]?.boolean("on or off", example: "sandbox: on") ?? false
      node.instanceCount = fields["instances"]?.integer(in: instanceCounts, count)
      node.preset = readText("preset", "a preset's name", example: "Large hall", fields)
      node.state = readText("state", "a directory", example: "reverb.state", fields)
      for field in entries where !(pluginKeys + sourceKeys).contains(field.key) {
        field.reportUnknown(known: source == nil ? pluginKeys + ["builtin"] : pluginKeys)
      }
    }
    return node
  }

  /// A share in percent, with or without the sign, as a number from 0 to 1.
  static func readWetLevel(_ cursor: ManifestCursor) -> Float? {
    let expected = ExpectedValue(what: "a value in percent", example: "wet: 40 %")
    guard let text = cursor.text(expected) else { return nil }
    guard let level = WetLevel(text) else {
      cursor.report(.broken(rule: "\(text.shortened) \(WetLevel.errorMessage(text))"))
      return nil
    }
    return level.value
  }

  static func readText(
    _ key: String, _ what: String, example: String, _ fields: ManifestFields
  ) -> BuiltinSetting? {
    guard let cursor = fields[key],
      let text = cursor.text(ExpectedValue(what: what, example: "\(key): \(example)"))
    else { return nil }
    return BuiltinSetting(key: key, text: text, position: cursor.node.position)
  }

  static func checkName(_ field: ManifestField) {
    let name = field.key
    if name == "in" || name == "out" {
      field.report(
        .broken(
          rule: "\"\(name)\" is reserved for the \(name)put of the rig. Choose another node name."))
    } else if let message = lengthMessage(name) {
      field.report(.broken(rule: message))
    } else if !isNodeName(name) {
      field.report(
        .broken(
          rule: "\"\(name.shortened)\" is not a valid node name. Start with a letter, then use"
            + " letters, digits, \"_\", \"-\" and \".\"."))
    }
  }

  /// Longer names would not fit on a line of a rig file.
  private static let longestNameBytes = 200

  /// Returns the message about a name that is too long; nil for others.
  static func lengthMessage(_ name: String) -> String? {
    name.utf8.count > longestNameBytes
      ? "The node name has \(name.utf8.count) bytes; the limit is \(longestNameBytes)." : nil
  }

  /// Whether connections can use the name without ambiguity.
  static func isNodeName(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter, name.last != "-", lengthMessage(name) == nil
    else { return false }
    return name.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
  }

  // MARK: - Source

  private static func readSource(_ fields: ManifestFields) -> (RigNode.Source, SourcePosition)? {
    let plugin = ExpectedValue(what: "a plugin", example: "plugin: outboard.reverb")
    let builtin = ExpectedValue(what: "a built-in node", example: "builtin: mixer")
    let given = fields.fields.filter { sourceKeys.contains($0.key) }
    if given.count > 1 {
      given[1].report(.conflictingKeys(first: given[0].key, second: given[1].key))
    }
    guard let field = given.first else {
      let isMisspelt = entriesMisspelling("builtin", in: fields)
      if !isMisspelt { _ = fields.required("plugin", example: plugin.example) }
      return nil
    }
    let isPlugin = field.key == "plugin"
    guard let text = field.value.text(isPlugin ? plugin : builtin) else { return nil }
    return (isPlugin ? .plugin(text) : .builtin(text), field.value.node.position)
  }

  private static func entriesMisspelling(_ key: String, in fields: ManifestFields) -> Bool {
    fields.fields.contains { suggestion(for: $0.key, among: fields.known) == key }
  }

  // MARK: - Values

  static func readValues(_ cursor: ManifestCursor) -> [RigParameter] {
    let expected = ExpectedValue(
      what: "a mapping of symbols to values", example: "parameters: {mix: 30}")
    let value = ExpectedValue(what: "a value", example: "mix: 30")
    return (cursor.entries(expected) ?? []).compactMap { field in
      guard let text = field.value.text(value) else { return nil }
      return RigParameter(symbol: field.key, text: text, position: field.position)
    }
  }

  /// Texts as they are, and lists, for vectors, as their items with commas between.
  static func readProperties(_ cursor: ManifestCursor) -> [RigParameter] {
    let expected = ExpectedValue(
      what: "a mapping of properties to values", example: "properties: {sample: kick.wav}")
    let value = ExpectedValue(what: "a value", example: "sample: kick.wav")
    return (cursor.entries(expected) ?? []).compactMap { field in
      var text: String?
      switch field.value.node.content {
      case .text(let written, _): text = written
      case .list:
        let items = (field.value.items(value) ?? []).map { $0.text(value) }
        text = items.contains(nil) ? nil : items.compactMap(\.self).joined(separator: ", ")
      default: text = field.value.text(value)
      }
      return text.map { RigParameter(symbol: field.key, text: $0, position: field.position) }
    }
  }

  /// Reads the keys that only the built-in understands; reports misspelt keys of rigs.
  private static func readSettings(_ fields: ManifestFields) -> [BuiltinSetting] {
    fields.fields.compactMap { field in
      guard !(builtinKeys + sourceKeys).contains(field.key) else { return nil }
      if ["isolate", "sandbox"].contains(field.key) {
        field.report(
          .broken(
            rule: "a built-in node is part of the host and cannot be isolated. Remove"
              + " `\(field.key)`."))
        return nil
      }
      if channelKeys.contains(field.key) {
        let expected = ExpectedValue(
          what: "a whole number of channels", example: "\(field.key): 2")
        guard let count = field.value.integer(in: channelCounts, expected) else { return nil }
        return BuiltinSetting(key: field.key, text: "\(count)", position: field.position)
      }
      if field.key == "files" { return readFiles(field) }
      let known = builtinKeys + channelKeys + recorderKeys + playerKeys + meterKeys
      let isMisspelt = !known.contains(field.key) && suggestion(for: field.key, among: known) != nil
      guard case .text(let text, _) = field.value.node.content, !isMisspelt else {
        if known.contains(field.key) {
          _ = field.value.text(singleValue(of: field.key))
        } else {
          field.reportUnknown(known: known)
        }
        return nil
      }
      return BuiltinSetting(key: field.key, text: text.trimmed, position: field.position)
    }
  }

  /// Returns what a key expects instead of a list or a mapping.
  private static func singleValue(of key: String) -> ExpectedValue {
    key == "file"
      ? ExpectedValue(
        what: "one file (`files` takes several)", example: "file: one.wav")
      : ExpectedValue(what: "a single value", example: "\(key): ...")
  }

  /// A list of paths.
  private static func readFiles(_ field: ManifestField) -> BuiltinSetting? {
    let expected = ExpectedValue(what: "a list of files", example: "files: [one.wav, two.wav]")
    guard let items = field.value.items(expected) else { return nil }
    let files = items.compactMap { $0.text(expected) }
    guard files.count == items.count else { return nil }
    return BuiltinSetting(
      key: field.key, texts: files.filter { !$0.isEmpty }, position: field.position)
  }
}
