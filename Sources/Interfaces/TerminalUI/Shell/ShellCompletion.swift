// ShellCompletion.swift: what can follow on a line. SPDX-License-Identifier: MIT

import Console
package import HostModel

/// Completes verbs, nodes, parameters, values, scenes and presets of a session.
package struct ShellCompletion {
  /// The names in a session that can be completed.
  package struct Names {
    /// The state.
    package var state: SessionState
    /// The descriptions of plugins by their names.
    var descriptions: [String: PluginDescription]
    /// The names of installed plugins, for `insert`.
    package var plugins: [String]

    /// The names of a session.
    ///
    /// - Parameters:
    ///   - state: the state.
    ///   - descriptions: the objects of the replies to `plugin`, by the names of the plugins.
    ///   - plugins: the names of installed plugins.
    package init(
      state: SessionState, descriptions: [String: JSONValue] = [:], plugins: [String] = []
    ) {
      self.state = state
      self.plugins = plugins
      self.descriptions = descriptions.mapValues(PluginDescription.init(json:))
    }
  }

  /// The possible continuations of a line.
  package struct Result: Equatable {
    /// The number of code points of the line before the word that is completed.
    package var start: Int
    /// The part of the word that was typed.
    var typed: String
    /// The whole words that can replace it, sorted.
    var texts: [String]

    /// The words with quotation marks where they need them.
    package var words: [String] { texts.map(ShellWords.quoted) }

    /// The longest beginning of all words, as it is written; nil if it is not longer than what was typed.
    var common: String? {
      guard let first = texts.first else { return nil }
      let common = texts.dropFirst().reduce(first) { common, word in
        String(zip(common, word).prefix { $0 == $1 }.map(\.0))
      }
      guard common.count > typed.count else { return nil }
      let quoted = ShellWords.quoted(common)
      // More follows before the quotation mark at the end.
      return quoted == common ? common : String(quoted.dropLast())
    }
  }

  private let verbs: [String]
  private let names: Names

  /// A completion for a session.
  package init(verbs: [String], names: Names) { (self.verbs, self.names) = (verbs, names) }

  /// Returns what the last word of a line can become. [any]
  package func complete(_ line: String) -> Result {
    var (words, open) = ShellWords.parse(line)
    if open == nil, words.isEmpty || line.last == " " {
      words.append(.init(text: "", start: line.unicodeScalars.count))
    }
    guard let last = words.last else { return Result(start: 0, typed: "", texts: []) }
    let before = words.dropLast().map(\.text)
    let found = candidates(before, last.text)
      .filter { $0.lowercased().hasPrefix(last.text.lowercased()) && $0 == $0.printable }
    return Result(start: last.start, typed: last.text, texts: Set(found).sorted())
  }

  private func candidates(_ words: [String], _ last: String) -> [String] {
    guard let verb = words.first else { return verbs }
    let position = words.count
    switch verb {
    case "help": return position == 1 ? verbs : []
    case "watch": return position == 1 ? ["on", "off"] : []
    case "set": return position == 1 ? units + connections : settings(of: words[1], last)
    case "show", "remove": return position == 1 ? units : []
    case "bypass": return position == 1 ? units : position == 2 ? ["on", "off"] : []
    case "scene":
      return position == 1 ? scenes + ["--next", "--previous", "--store"] : scenes
    case "insert": return position == 1 ? names.plugins : positions(words, last)
    case "replace": return position == 1 ? nodeNames : position == 2 ? names.plugins : []
    case "move": return position == 1 ? units : positions(words, last)
    case "info": return names.plugins
    case "learn": return position == 1 ? learnTargets : []
    case "record": return Command.Record.keywords + devices("recorder")
    case "play": return Command.Play.keywords + devices("player")
    default: return []
    }
  }

  // MARK: - Names

  private var nodeNames: [String] { names.state.nodes.map(\.name) }
  private var units: [String] { nodeNames + names.state.nestedRigs.map(\.name) }
  private var connections: [String] { names.state.connections.map(\.name) }
  private var scenes: [String] { names.state.scenes.map(\.name) }

  private func devices(_ plugin: String) -> [String] {
    names.state.nodes.filter { $0.plugin == plugin }.map(\.name)
  }

  private var learnTargets: [String] {
    names.state.nodes.flatMap { node in
      (node.parameters.map(\.symbol) + ["bypass", "wet"]).map { "\(node.name).\($0)" }
    } + ["next scene", "previous scene"]
  }

  private func positions(_ words: [String], _ last: String) -> [String] {
    switch words.last {
    case "after"?: units + ["in"]
    case "before"?: units + ["out"]
    case "on"?: connections
    default: ["after", "before", "on"]
    }
  }

  // MARK: - Settings

  private func settings(of name: String, _ word: String) -> [String] {
    guard let equals = word.firstIndex(of: "=") else {
      return symbols(of: name).map { "\($0)=" }
    }
    let symbol = String(word[..<equals])
    return values(of: name, symbol).map { "\(symbol)=\($0)" }
  }

  private func symbols(of name: String) -> [String] {
    if connections.contains(name) { return ["gain"] }
    guard let node = names.state.nodes.first(where: { $0.name == name }) else {
      return units.contains(name) ? ["bypass", "wet"] : []
    }
    let plugin = names.descriptions[node.plugin]
    return node.parameters.map(\.symbol) + ["bypass", "wet"]
      + (plugin?.properties.map(\.symbol) ?? [])
      + (plugin?.presets.isEmpty == false ? ["preset"] : [])
  }

  private func values(of name: String, _ symbol: String) -> [String] {
    if symbol == "bypass" { return ["on", "off", "toggle"] }
    guard let node = names.state.nodes.first(where: { $0.name == name }),
      let plugin = names.descriptions[node.plugin] ?? PluginDescription(builtIn: node)
    else { return [] }
    if symbol == "preset" { return plugin.presets }
    guard let parameter = plugin.parameters.first(where: { $0.symbol == symbol }) else { return [] }
    return parameter.isToggle ? ["on", "off", "toggle"] : parameter.choices.map(\.name)
  }
}
