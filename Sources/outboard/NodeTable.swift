// NodeTable.swift: the values of session nodes as text. SPDX-License-Identifier: MIT

import Console
import Control
import PluginModel

/// A table of the nodes of a session with one line per value.
enum NodeTable {
  /// Returns lines of at most `columns`; names are shortened first.
  static func lines(_ nodes: [ControlReply.Node], columns: Int) -> [String] {
    nodes.flatMap { node -> [String] in
      let values = node.shown ?? bare(node.values)
      let readouts = node.shownReadouts ?? bare(node.readouts ?? [:])
      let title =
        node.name == node.plugin ? "  \(node.name)" : "  \(node.name) (\(node.plugin))"
      return [title.printable] + table("", values, columns) + table("  Readouts", readouts, columns)
    }
  }

  private static func table(
    _ title: String, _ values: [ControlReply.Shown], _ columns: Int
  ) -> [String] {
    guard !values.isEmpty else { return [] }
    var table = Table([.init(""), .init(""), .init("", canShrink: true)])
    for value in values {
      let isNamed = value.name.lowercased() != value.symbol.lowercased()
      table.add(["    \(value.symbol)", value.text, isNamed ? value.name : ""])
    }
    return (title.isEmpty ? [] : [title]) + table.lines(width: columns)
  }

  /// The answer of an older session: numbers only.
  private static func bare(_ values: [String: Float]) -> [ControlReply.Shown] {
    values.sorted { $0.key < $1.key }.map {
      .init(symbol: $0.key, name: $0.key, text: NumberFormat.short(Double($0.value)))
    }
  }
}

extension ControlReply.Shown {
  /// A parameter or readout and its value.
  init(_ parameter: Parameter, _ value: Float) {
    self.init(
      symbol: parameter.symbol, name: parameter.name, text: Self.text(of: value, parameter))
  }

  private static func text(of value: Float, _ parameter: Parameter) -> String {
    if let choice = parameter.choices.first(where: { $0.value == value }) { return choice.name }
    if parameter.scale == .toggle { return value == parameter.maximum ? "on" : "off" }
    let number = NumberFormat.short(Double(value))
    return parameter.unit.isEmpty ? number : "\(number) \(parameter.unit)"
  }
}
