// RigDescription+Chain.swift: a chain on the command line as a rig. SPDX-License-Identifier: MIT

import AudioDriver
import Manifests
package import PluginModel

/// A plugin and its values on the command line.
package struct ChainLink: Sendable, Equatable {
  /// The plugin as the user names it.
  package var plugin: String
  /// `symbol=value` assignments that follow it, in order.
  package var assignments: [(symbol: String, value: String)]

  /// A plugin and its assignments.
  package init(plugin: String, assignments: [(symbol: String, value: String)] = []) {
    self.plugin = plugin
    self.assignments = assignments
  }

  /// Compares plugin and assignments.
  package static func == (one: ChainLink, other: ChainLink) -> Bool {
    one.plugin == other.plugin
      && one.assignments.elementsEqual(other.assignments) {
        $0.symbol == $1.symbol && $0.value == $1.value
      }
  }

  /// Parses words: a word with a symbol and an equals sign belongs to the plugin before it, every other word
  /// names a plugin.
  ///
  /// - Throws: `ChainError`.
  package static func parse(_ words: [String]) throws(ChainError) -> [ChainLink] {
    var links: [ChainLink] = []
    for (index, word) in words.enumerated() {
      if index > 0, Quantity.isUnit(word), isBareNumber(words[index - 1]) {
        throw .unitApart(assignment: words[index - 1], unit: word)
      }
      if index > 0, isSymbol(words[index - 1][...]), Double(word) != nil {
        throw .valueApart(symbol: words[index - 1], value: word)
      }
      guard let equals = word.firstIndex(of: "="), isSymbol(word[..<equals]) else {
        links.append(ChainLink(plugin: word))
        continue
      }
      guard !links.isEmpty else { throw .assignmentWithoutPlugin(word: word) }
      let value = word[word.index(after: equals)...]
      links[links.count - 1].assignments.append((String(word[..<equals]), String(value)))
    }
    return links
  }

  /// Whether a word sets a symbol to a value. [any]
  package static func isAssignment(_ word: String) -> Bool {
    word.firstIndex(of: "=").map { isSymbol(word[..<$0]) } ?? false
  }

  /// Whether a word sets a symbol to a number without a unit.
  private static func isBareNumber(_ word: String) -> Bool {
    guard let equals = word.firstIndex(of: "="), isSymbol(word[..<equals]) else { return false }
    return Quantity(String(word[word.index(after: equals)...]))?.unit == ""
  }

  /// Returns whether a text is a plain symbol.
  ///
  /// URIs and paths may contain an equals sign, but not after letters, digits and underscores only.
  private static func isSymbol(_ text: Substring) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }
}

extension RigDescription {
  /// Creates a rig that sends the input through plugins in series to the output.
  ///
  /// If the first plugin has no audio inputs, it is a generator, and the rig has no input. If the last one
  /// has no outputs, it is a meter, and the rig has no output. The file is empty, so errors have no position.
  package init(chain: [ChainLink], plugins: [PluginDescription]) {
    self.init(file: "", name: plugins.map(\.name).joined(separator: " -> "))
    let names = Self.names(for: plugins)
    for (index, link) in chain.enumerated() {
      nodes.append(RigNode(link, named: names[index], parameters: plugins[index].parameters))
    }
    let device = RigDevice(DeviceRequest(device: "default"))
    var ends = names.map {
      ConnectionEndpoint(location: .node($0), ports: .all, position: .unknown)
    }
    if plugins.first?.audioInputs.isEmpty != true {
      inputs = [device]
      ends.insert(ConnectionEndpoint(location: .input, ports: .all, position: .unknown), at: 0)
    }
    if plugins.last?.audioOutputs.isEmpty != true {
      outputs = [device]
      ends.append(ConnectionEndpoint(location: .output, ports: .all, position: .unknown))
    }
    connections = zip(ends, ends.dropFirst()).map {
      RigConnection(from: $0, to: $1)
    }
  }

  /// Returns short names, with a number if a plugin occurs twice.
  private static func names(for plugins: [PluginDescription]) -> [String] {
    let names = plugins.map { $0.name.isEmpty ? $0.identifier : $0.name }
    // A plugin may have exactly the numbered name of another one.
    let nodeNames = Set(names)
    var counts: [String: Int] = [:]
    return names.map { name in
      var number = counts[name, default: 0] + 1
      while number > 1, nodeNames.contains("\(name) \(number)") { number += 1 }
      counts[name] = number
      return number == 1 ? name : "\(name) \(number)"
    }
  }
}

extension RigNode {
  /// Creates a node of a chain.
  ///
  /// `preset` and `state` have the same meaning as in a rig, unless the plugin has a parameter with
  /// that symbol.
  init(_ link: ChainLink, named name: String, parameters: [Parameter]) {
    self.init(name: name, source: .plugin(link.plugin))
    for (symbol, value) in link.assignments {
      let isParameter = parameters.contains { $0.symbol == symbol }
      switch symbol {
      case "preset" where !isParameter: preset = BuiltinSetting(key: symbol, text: value)
      case "state" where !isParameter: state = BuiltinSetting(key: symbol, text: value)
      default: self.parameters.append(RigParameter(symbol: symbol, text: value))
      }
    }
  }
}
