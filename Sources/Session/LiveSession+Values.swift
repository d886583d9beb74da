// LiveSession+Values.swift: what the nodes of a running rig are set to. SPDX-License-Identifier: MIT

package import PluginModel
import Rig

extension LiveSession {
  /// A node of the rig, and what it is set to now.
  package struct NodeValues: Sendable, Equatable {
    /// Its name in the rig.
    package var name: String
    /// What it is.
    package var plugin: PluginDescription
    /// A value for each parameter, in the plugin's order.
    package var values: [Float]
  }

  /// What the rig is called.
  package var rigName: String { rig.rig.name }

  /// The nodes in the order of the rig. [main]
  package var nodeValues: [NodeValues] {
    graph.members.map { member in
      NodeValues(
        name: member.name, plugin: member.plugin,
        values: member.plugin.parameters.indices.map { member.nodes[0].parameter($0) })
    }
  }

  /// Sets parameters of a node, all of them or, where one of the values cannot be, none.
  ///
  /// Heard from the next block on. [main]
  ///
  /// - Parameters:
  ///   - name: the node's name in the rig, in any letter case.
  ///   - values: by symbol or name of the parameter, written as in a rig.
  /// - Returns: what had to be done to make a value legal, one sentence each.
  /// - Throws: `LiveValueError` with every value that cannot be.
  package func set(_ name: String, to values: [(symbol: String, text: String)]) throws -> [String] {
    let member = try member(called: name)
    var notes: [String] = []
    var mistakes: [String] = []
    var legal: [(index: Int, value: Float)] = []
    for (symbol, text) in values {
      let parameters = member.plugin.parameters
      guard let index = parameters.place(of: symbol) else {
        mistakes.append(
          missing(
            symbol, among: parameters.map(\.symbol), of: member.name, what: "parameter",
            plural: "parameters"))
        continue
      }
      switch ParameterValue.parse(text, for: parameters[index]) {
      case .success(let parsed):
        legal.append((index, parsed.value))
        if let note = parsed.note { notes.append("\(member.name): \(note)") }
      case .failure(let error):
        mistakes.append("\(member.name): \(error)")
      }
    }
    guard mistakes.isEmpty else { throw LiveValueError(sentences: mistakes) }
    for (index, value) in legal {
      for node in member.nodes { node.setParameter(index, to: value) }
    }
    return notes
  }

  private func member(called name: String) throws(LiveValueError) -> BuiltRig.Member {
    if let exact = graph.members.first(where: { $0.name == name }) { return exact }
    let lower = name.lowercased()
    let close = graph.members.filter { $0.name.lowercased() == lower }
    if close.count == 1 { return close[0] }
    let names = graph.members.map(\.name)
    let hint =
      nearest(to: name, among: names).map { "did you mean \($0)?" }
      ?? "there is \(names.joined(separator: ", "))."
    throw LiveValueError(sentences: ["No node of this rig is called \(name); \(hint)"])
  }
}

/// Why nothing was set.
package struct LiveValueError: Error, Equatable, CustomStringConvertible {
  /// One for each mistake.
  package let sentences: [String]

  /// The sentences, a line each.
  package var description: String { sentences.joined(separator: "\n") }
}
