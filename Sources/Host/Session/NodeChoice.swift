// NodeChoice.swift: the nodes that a command names. SPDX-License-Identifier: MIT

import PluginModel

/// Finds the players or recorders that a command names.
enum NodeChoice {
  /// Returns the requested nodes among nodes of one kind.
  static func choose<Part>(
    _ name: String?, among all: [(name: String, part: Part)], what: String
  ) throws -> [(name: String, part: Part)] {
    guard !all.isEmpty else {
      throw SetValueError(messages: ["This rig has no \(what). Add a node with builtin: \(what)."])
    }
    guard let name else { return all }
    let chosen = all.filter { $0.name.lowercased() == name.lowercased() }
    guard chosen.isEmpty else { return chosen }
    let names = all.map(\.name)
    let hint =
      nearest(to: name, among: names).map { "Did you mean \($0)?" }
      ?? "The rig has \(names.joined(separator: ", "))."
    throw SetValueError(messages: ["No such \(what): \(name). \(hint)"])
  }
}
