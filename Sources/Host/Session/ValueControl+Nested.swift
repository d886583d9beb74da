// ValueControl+Nested.swift: manual changes to nested rigs. SPDX-License-Identifier: MIT

import RigPlanning
import RigSchema

extension ValueControl {
  /// Returns the index of the nested rig with a name, in any letter case, unless a node has that
  /// name; nil for none.
  func nestedIndex(_ name: String) -> Int? {
    let nested = active.rig.rig.nested
    return nested.firstIndex { $0.name == name }
      ?? nested.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  /// Sets values of a nested rig: `bypass`, `wet`, and its nodes' values as `node.symbol`.
  ///
  /// All of them are set, or none if one of them is invalid.
  func set(
    nested position: Int, to values: [(symbol: String, text: String)], directory: String
  ) throws -> [String] {
    let nested = active.rig.rig.nested[position]
    var bypassValues: [(symbol: String, text: String)] = []
    var within: [(node: Int, values: [(symbol: String, text: String)])] = []
    for (symbol, text) in values {
      if ["bypass", "wet"].contains(symbol.lowercased()) {
        bypassValues.append((symbol, text))
      } else if let target = active.rig.rig.target(of: symbol, within: nested.prefix) {
        let index = within.firstIndex { $0.node == target.node } ?? within.count
        if index == within.count { within.append((target.node, [])) }
        within[index].values.append((target.rest, text))
      } else {
        throw SetValueError(messages: [missing(symbol, in: nested)])
      }
    }
    let mistakes = within.flatMap { node, values in
      RequestedValues(values, of: active.graph.members[node], directory: directory).mistakes
    }
    guard mistakes.isEmpty else { throw SetValueError(messages: mistakes) }
    let changes = try BypassSettings(
      bypassValues, of: nested.name, present: (nested.wetLevel, nested.isBypassed))
    var next = active.rig
    next.rig.nested[position].wetLevel = changes.wet ?? nested.wetLevel
    next.rig.nested[position].isBypassed = changes.isBypassed ?? nested.isBypassed
    var notes = bypassValues.isEmpty ? [] : try active.change(to: next)
    notes += active.overrideUntilNextPoint(changes, of: nested.name)
    for (node, values) in within {
      notes += try self.set(active.graph.members[node].name, to: values, directory: directory)
    }
    return notes
  }

  private func missing(_ symbol: String, in nested: NestedRig) -> String {
    let names = active.rig.rig.nodes.map(\.name).filter { $0.hasPrefix(nested.prefix) }
      .map { $0.dropFirst(nested.prefix.count).split(separator: "/").joined(separator: ".") }
    let example = names.first.map { "\($0).\(symbol.split(separator: ".").last ?? "mix")" }
    return "\(nested.name) is a nested rig"
      + (example.map { ". Write the node before the parameter, as in \($0)." } ?? " without nodes.")
  }
}
