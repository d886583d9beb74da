// ReadoutFormatter.swift: node readouts as text and JSON. SPDX-License-Identifier: MIT

import Console
import PluginModel
import Session

/// The readouts of a node as text.
struct ReadoutFormatter {
  /// The number of equal readouts from which they are drawn as a bar chart.
  private static let minimumBarCount = 8
  private let readouts: [Parameter]
  private let values: [Float]
  private let name: String

  init(_ node: NodeReadouts) {
    name = node.node
    readouts = node.plugin.readouts
    values = node.values
  }

  /// Returns one line, e.g.
  ///
  /// `tuner   Pitch 440.1 Hz   Note A   Cents 0.4`.
  var line: String {
    var parts = [name]
    var index = 0
    while index < readouts.count {
      let end = readouts[(index + 1)...].firstIndex { !Self.isSameKind($0, readouts[index]) }
      let run = index ..< (end ?? readouts.count)
      if run.count >= Self.minimumBarCount {
        parts.append(bars(run))
      } else {
        parts += run.map(labelled)
      }
      index = run.upperBound
    }
    return parts.joined(separator: "   ")
  }

  /// The values by symbol, without NaN and infinity.
  static func values(_ node: NodeReadouts) -> [String: Float] {
    let pairs = zip(node.plugin.readouts.map(\.symbol), node.values).filter(\.1.isFinite)
    return Dictionary(pairs) { first, _ in first }
  }

  private static func isSameKind(_ one: Parameter, _ other: Parameter) -> Bool {
    one.unit == other.unit && one.minimum == other.minimum && one.maximum == other.maximum
      && one.choices.isEmpty && other.choices.isEmpty
  }

  private func labelled(_ index: Int) -> String {
    let (readout, value) = (readouts[index], values[index])
    if let choice = readout.choices.first(where: { $0.value == value }) {
      return "\(readout.name) \(choice.name)"
    }
    let isFine = readout.maximum - readout.minimum <= 2
    let places = readout.scale == .integer ? 0 : isFine ? 3 : 1
    let text = NumberFormat.fixed(Double(value), places: places)
    return "\(readout.name) \(text)\(readout.unit.isEmpty ? "" : " \(readout.unit)")"
  }

  /// Returns one bar per value and the ends of the scale.
  private func bars(_ run: Range<Int>) -> String {
    let steps = Array(" ▁▂▃▄▅▆▇█")
    let first = readouts[run.lowerBound]
    let (low, high) = (Double(first.minimum), Double(first.maximum))
    let text = run.map { index -> Character in
      let fraction = (Double(values[index]) - low) / max(high - low, .leastNormalMagnitude)
      guard fraction.isFinite else { return " " }
      return steps[min(max(Int((fraction * 8).rounded()), 0), 8)]
    }
    return "\(first.name) ▕\(String(text))▏ \(readouts[run.upperBound - 1].name),"
      + " \(NumberFormat.short(low)) to \(NumberFormat.short(high)) \(first.unit)"
  }
}

/// The JSON of the readouts of a node.
struct NodeReadoutsJSON: Codable {
  let node: String
  let values: [String: Float]

  init(_ readouts: NodeReadouts) {
    node = readouts.node
    values = ReadoutFormatter.values(readouts)
  }
}
