// ModuleManifestReader+Ports.swift: a module's audio inputs and outputs. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension ModuleManifestReader {
  private static let channelCounts = 0 ... 64
  private static let portKeys = ["name", "symbol", "group"]

  /// Reads ports from a count or a list.
  ///
  /// The suffix `in` or `out` completes symbols that the manifest does not contain.
  static func readPorts(_ cursor: ManifestCursor?, suffix: String) -> [AudioPort] {
    guard let cursor else { return [] }
    let key = "\(suffix)puts"
    let expected = ExpectedValue(
      what: "a number of channels or a list of them", example: "\(key): 2")
    if case .text = cursor.node.content {
      let count = cursor.integer(in: channelCounts, expected) ?? 0
      return defaultNames(count).map { makePort(named: $0, suffix: suffix) }
    }
    guard let items = cursor.items(expected) else { return [] }
    if items.count > channelCounts.upperBound {
      cursor.report(
        .outOfRange(
          found: "\(items.count)", minimum: "\(channelCounts.lowerBound)",
          maximum: "\(channelCounts.upperBound)"))
    }
    var ports: [AudioPort] = []
    for item in items {
      guard let port = readPort(item, suffix: suffix, key: key) else { continue }
      if let duplicate = ports.firstIndex(where: { $0.symbol == port.symbol }) {
        item.report(
          .broken(
            rule:
              "symbol \"\(port.symbol)\" is already used by \(key)[\(duplicate + 1)]. Rename one"
              + " of them."))
      }
      ports.append(port)
    }
    return ports
  }

  /// Checks that the module has audio or MIDI ports.
  static func checkPorts(_ description: PluginDescription, _ fields: ManifestFields) {
    guard let inputs = fields["inputs"], let outputs = fields["outputs"],
      inputs.isZeroOrEmpty, outputs.isZeroOrEmpty
    else { return }
    outputs.report(
      .broken(
        rule:
          "a module needs at least one audio input or output. Add one. MIDI alone is not supported."
      ))
  }

  private static func readPort(
    _ cursor: ManifestCursor, suffix: String, key: String
  ) -> AudioPort? {
    let expected = ExpectedValue(what: "a channel", example: "{name: Left, group: main}")
    if case .text = cursor.node.content {
      return cursor.text(expected).map { makePort(named: $0, suffix: suffix) }
    }
    guard let fields = cursor.fields(known: portKeys, expected) else {
      return nil
    }
    let name = ExpectedValue(what: "a name", example: "name: Left")
    guard let text = fields.required("name", example: name.example)?.text(name) else { return nil }
    var port = makePort(named: text, suffix: suffix)
    if let symbol = fields["symbol"], let text = readSymbol(symbol) { port.symbol = text }
    let group = ExpectedValue(what: "a group", example: "group: sidechain")
    if let text = fields["group"]?.text(group) { port.group = text }
    return port
  }

  /// A symbol that C would take for a name.
  static func readSymbol(_ cursor: ManifestCursor) -> String? {
    let expected = ExpectedValue(what: "a symbol", example: "symbol: decay")
    guard let text = cursor.text(expected) else { return nil }
    guard text.isIdentifier else {
      cursor.report(
        .broken(
          rule: "\"\(text.shortened)\" is not a valid symbol. Start with a letter, then use"
            + " letters, digits and \"_\"."))
      return nil
    }
    return text
  }

  private static func defaultNames(_ count: Int) -> [String] {
    switch count {
    case 0: []
    case 1: ["Mono"]
    case 2: ["Left", "Right"]
    default: (1 ... count).map(String.init)
    }
  }

  private static func makePort(named name: String, suffix: String) -> AudioPort {
    let word = String(
      name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    let hasValidStart = word.first.map { $0.isLetter || $0 == "_" } ?? false
    let symbol = hasValidStart ? "\(word)_\(suffix)" : "\(suffix)_\(word)"
    return AudioPort(symbol: symbol, name: name, group: "main")
  }
}

extension ManifestCursor {
  /// Whether the value is the number 0 or an empty list.
  fileprivate var isZeroOrEmpty: Bool {
    switch node.content {
    case .text(let text, _): Quantity(text)?.value == 0
    case .list(let items): items.isEmpty
    default: false
    }
  }
}
