// NodeTable.swift: the values of session nodes as text. SPDX-License-Identifier: MIT

import Console
import HostModel

/// A table of the nodes of a session with one line per value.
enum NodeTable {
  /// Returns lines of at most `columns` columns, if symbols and values leave enough space for names.
  static func lines(_ nodes: [SessionStatus.Node], columns: Int) -> [String] {
    nodes.flatMap { node -> [String] in
      let values = node.shown ?? bare(node.values)
      let readouts = node.shownReadouts ?? bare(node.readouts ?? [:])
      let title =
        node.name == node.plugin ? "  \(node.name)" : "  \(node.name) (\(node.plugin))"
      let mark =
        node.faulty == true
        ? ", bypassed after a fault" : node.bypass == true ? ", bypassed" : ""
      let wet = node.wet.map { [("wet", NumberFormat.short(Double($0) * 100) + " %")] } ?? []
      let properties = (node.properties ?? [:]).sorted { $0.key < $1.key }
      return [title.printable + mark]
        + table("", values, more: wet + properties.map { ($0.key, $0.value) }, columns)
        + table("  Readouts", readouts, columns)
    }
  }

  private static func table(
    _ title: String, _ values: [SessionStatus.ShownValue], more: [(String, String)] = [],
    _ columns: Int
  ) -> [String] {
    guard !values.isEmpty || !more.isEmpty else { return [] }
    var table = Table([.init(""), .init(""), .init("", canShrink: true)])
    for value in values {
      let isNamed = value.name.lowercased() != value.symbol.lowercased()
      table.add(["    \(value.symbol)", value.text, isNamed ? value.name : ""])
    }
    for (symbol, text) in more { table.add(["    \(symbol)", text, ""]) }
    return (title.isEmpty ? [] : [title]) + table.lines(width: columns)
  }

  /// Numbers alone.
  private static func bare(_ values: [String: Float]) -> [SessionStatus.ShownValue] {
    values.sorted { $0.key < $1.key }.map {
      .init(symbol: $0.key, name: $0.key, value: $0.value, unit: nil, choice: nil)
    }
  }
}

extension SessionStatus.ShownValue {
  /// The value with its unit, or the name of the choice.
  var text: String {
    if let choice { return choice }
    let number = NumberFormat.short(Double(value))
    return unit.map { "\(number) \($0)" } ?? number
  }
}
