// SignalOrder.swift: the nodes of a rig along the signal. SPDX-License-Identifier: MIT

import HostModel

/// The parts of a rig in the order of the signal, and the positions next to each.
struct SignalOrder {
  /// A connection between two parts of the rig.
  struct Link: Equatable {
    var name: String
    var gain: Float?
    var from: String
    var to: String
  }

  /// A line of the chain.
  struct Slot: Equatable {
    enum Kind { case input, output, node, nestedRig, innerNode }
    var kind: Kind
    /// The name in the rig; `in` or `out` for the ends.
    var name: String

    /// The name without that of the nested rig.
    var title: String {
      guard kind == .innerNode, let slash = name.firstIndex(of: "/") else { return name }
      return String(name[name.index(after: slash)...])
    }

    /// Whether the line is a node or a nested rig.
    var isUnit: Bool { kind != .input && kind != .output }
  }

  private let state: SessionState
  /// The connections whose ends are known.
  let links: [Link]

  /// Reads a state.
  init(_ state: SessionState) {
    self.state = state
    let names = Set(Self.units(state) + ["in", "out"])
    links = state.connections.compactMap { connection in
      Self.ends(of: connection.name, names).map {
        Link(name: connection.name, gain: connection.gain, from: $0.from, to: $0.to)
      }
    }
  }

  /// The lines of the chain: the input, nodes and nested rigs with their nodes, the output.
  var slots: [Slot] {
    let nested = Set(state.nestedRigs.map(\.name))
    let columns = columns
    let sorted = Self.units(state).enumerated().sorted {
      (columns[$0.element] ?? 0, $0.offset) < (columns[$1.element] ?? 0, $1.offset)
    }
    let middle = sorted.flatMap { _, name -> [Slot] in
      guard nested.contains(name) else { return [Slot(kind: .node, name: name)] }
      let inner = state.nodes.filter { $0.name.hasPrefix("\(name)/") }
      return [Slot(kind: .nestedRig, name: name)]
        + inner.map { Slot(kind: .innerNode, name: $0.name) }
    }
    return [Slot(kind: .input, name: "in")] + middle + [Slot(kind: .output, name: "out")]
  }

  /// Returns the new position of a part that moves by one along the signal; nil at an end.
  func position(of name: String, movedBy direction: Int) -> Command.Position? {
    if direction > 0 {
      return links.first { $0.from == name && $0.to != "out" }.map { .after($0.to) }
    }
    return links.first { $0.to == name && $0.from != "in" }.map { .before($0.from) }
  }

  // MARK: - Connections

  /// The names of nodes at the top level and of nested rigs, in the order of the rig.
  private static func units(_ state: SessionState) -> [String] {
    let nested = state.nestedRigs.map(\.name)
    var units: [String] = []
    for node in state.nodes {
      let owner = nested.filter { node.name.hasPrefix("\($0)/") }.min { $0.count < $1.count }
      let name = owner ?? node.name
      if !units.contains(name) { units.append(name) }
    }
    return units
  }

  /// A name can contain an arrow: the ends are the parts at which both are known.
  private static func ends(
    of name: String, _ names: Set<String>
  ) -> (from: String, to: String)? {
    for arrow in name.ranges(of: " -> ") {
      if let from = unit(String(name[..<arrow.lowerBound]), names),
        let to = unit(String(name[arrow.upperBound...]), names)
      {
        return (from, to)
      }
    }
    return nil
  }

  /// The part at an end such as `desk:3`.
  private static func unit(_ end: String, _ names: Set<String>) -> String? {
    if names.contains(end) { return end }
    guard let colon = end.lastIndex(of: ":") else { return nil }
    let plain = String(end[..<colon])
    return names.contains(plain) ? plain : nil
  }

  /// The longest path from a source to each part.
  ///
  /// Connections that close a loop do not count.
  private var columns: [String: Int] {
    var result: [String: Int] = [:]
    var path: Set<String> = []
    func visit(_ name: String) -> Int {
      if let known = result[name] { return known }
      guard path.insert(name).inserted else { return -1 }
      let column = (links.filter { $0.to == name }.map { visit($0.from) }.max() ?? -1) + 1
      path.remove(name)
      result[name] = column
      return column
    }
    for name in ["in"] + Self.units(state) { _ = visit(name) }
    for name in Self.units(state) where !links.contains(where: { $0.to == name }) {
      // A source is next to what it feeds.
      let targets = links.filter { $0.from == name }.compactMap { result[$0.to] }
      if let first = targets.min() { result[name] = max(0, first - 1) }
    }
    return result
  }
}
