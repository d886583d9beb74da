// NodeTable.swift: what the nodes of a run are set to, for people. SPDX-License-Identifier: MIT

import Console
import Control
import PluginModel

/// The nodes of a run, with a line for each value.
enum NodeTable {
  /// Lines of at most so many columns, as far as symbols and values leave room for names.
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

  /// What a run of an older version tells: numbers alone.
  private static func bare(_ values: [String: Float]) -> [ControlReply.Shown] {
    values.sorted { $0.key < $1.key }.map {
      .init(symbol: $0.key, name: $0.key, text: NumberFormat.short(Double($0.value)))
    }
  }
}

extension ControlReply.Shown {
  /// A parameter or a readout, and its value.
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
