// CurvePlot.swift: curves over a quantity. SPDX-License-Identifier: MIT

import Glibc

/// A plot with one or several panels of curves, for example levels over a parameter, or over frequency.
package struct CurvePlot: Sendable {
  /// A curve.
  package struct Curve: Sendable {
    /// The name in the legend.
    package var name: String
    /// The points, from left to right; y that is not finite interrupts the curve.
    package var points: [SIMD2<Double>]

    /// Creates a curve.
    package init(_ name: String, _ points: [SIMD2<Double>]) {
      (self.name, self.points) = (name, points)
    }
  }

  /// A panel with its axes.
  package struct Panel: Sendable {
    /// The heading.
    package var heading: String
    /// The unit of the vertical axis.
    package var unit: String
    /// The name or the unit of the horizontal axis.
    package var horizontalUnit: String
    /// Whether the horizontal axis is logarithmic; all x are above 0 then.
    package var isLogarithmic: Bool
    /// The least height of the vertical axis, so that noise does not fill the panel.
    package var minimumHeight: Double
    /// The curves.
    package var curves: [Curve]

    /// Creates a panel.
    package init(
      _ heading: String, unit: String, horizontalUnit: String, isLogarithmic: Bool = false,
      minimumHeight: Double = 6, _ curves: [Curve]
    ) {
      (self.heading, self.unit) = (heading, unit)
      (self.horizontalUnit, self.isLogarithmic) = (horizontalUnit, isLogarithmic)
      (self.minimumHeight, self.curves) = (minimumHeight, curves)
    }
  }

  private static let panelHeight = 230.0
  private static let panelStep = 296.0
  private static let firstTop = 96.0
  /// More curves than this have a common legend below the title, in columns.
  private static let panelLegendCount = 4
  private static let (legendColumns, legendStep) = (3, 18.0)

  private let title: String
  private let panels: [Panel]

  /// Creates a plot.
  package init(_ title: String, _ panels: [Panel]) {
    (self.title, self.panels) = (title, panels)
  }

  /// Returns the content of the plot file in the format of the extension. [any]
  ///
  /// - Throws: if the format is unknown or unavailable.
  package func bytes(for path: String) throws(PlotError) -> [UInt8] {
    try AudioPlot.bytes(of: drawing, for: path)
  }

  var drawing: Drawing {
    let names = panels.first?.curves.map(\.name) ?? []
    let common = names.count > Self.panelLegendCount && panels.count > 1 ? names : []
    let rowCount = (common.count + Self.legendColumns - 1) / Self.legendColumns
    let firstTop = Self.firstTop + Double(rowCount) * Self.legendStep
    var drawing = Drawing(
      width: AudioPlot.width, height: firstTop + Double(panels.count) * Self.panelStep)
    drawing.text(Self.shortened(title, to: 90), AudioPlot.left, 40, size: 20, isBold: true)
    let width = (AudioPlot.right - AudioPlot.left) / Double(Self.legendColumns)
    for (index, name) in common.enumerated() {
      let x = AudioPlot.left + Double(index % Self.legendColumns) * width
      let y = 66 + Double(index / Self.legendColumns) * Self.legendStep
      drawing.line(
        [Point(x: x, y: y - 4), Point(x: x + 20, y: y - 4)], width: 2, CurvePanel.colour(index))
      drawing.text(Self.shortened(name, to: 48), x + 28, y, size: 11, .start, .faint)
    }
    for (index, panel) in panels.enumerated() {
      CurvePanel(
        panel: panel, top: firstTop + Double(index) * Self.panelStep, height: Self.panelHeight,
        hasLegend: common.isEmpty || panel.curves.map(\.name) != common
      ).draw(in: &drawing)
    }
    return drawing
  }

  /// Returns a text, with an ellipsis if it is longer than `count` characters.
  private static func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(count - 1) + "…"
  }
}

/// Draws a panel of curves.
private struct CurvePanel: Panel {
  let panel: CurvePlot.Panel
  let top: Double
  let height: Double
  let hasLegend: Bool
  /// There is no time axis.
  var seconds: Double { 0 }

  private static let colours: [Colour] = [
    .shortTerm, .clipped, .integrated, Colour(0x3f9142), Colour(0x8e44ad), Colour(0x616e7c),
    .momentary, Colour(0xa0522d), Colour(0x0f7c86), Colour(0xd16ba5), Colour(0x5a5f00),
    Colour(0x1b2a49),
  ]

  static func colour(_ index: Int) -> Colour { colours[index % colours.count] }

  func draw(in drawing: inout Drawing) {
    heading(panel.heading, &drawing)
    unit(panel.unit, &drawing)
    let (vertical, verticalSteps) = verticalAxis
    for value in verticalSteps {
      level(Self.text(value, verticalSteps), at: vertical.position(value), &drawing)
    }
    let horizontal = horizontalAxis(&drawing)
    for (index, curve) in panel.curves.enumerated() {
      let colour = Self.colour(index)
      for part in curve.points.split(whereSeparator: { !$0.y.isFinite }) {
        drawing.line(
          part.map { Point(x: horizontal.position($0.x), y: vertical.position($0.y)) }, width: 1.6,
          colour
        )
      }
    }
    frame(&drawing)
    if hasLegend { legend(&drawing) }
  }

  private var verticalAxis: (Axis, [Double]) {
    let values = panel.curves.flatMap(\.points).map(\.y).filter(\.isFinite)
    var (low, high) = (values.min() ?? 0, values.max() ?? 1)
    let lacking = panel.minimumHeight - (high - low)
    if lacking > 0 { (low, high) = (low - lacking / 2, high + lacking / 2) }
    let step = Self.step(high - low)
    low = (low / step).rounded(.down) * step
    high = (high / step).rounded(.up) * step
    return (Axis(low, high, from: bottom, to: top), Self.steps(from: low, to: high, step))
  }

  private func horizontalAxis(_ drawing: inout Drawing) -> Axis {
    let values = panel.curves.flatMap(\.points).map(\.x).filter(\.isFinite)
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    let axis = Axis(
      low, high > low ? high : low + 1, from: AudioPlot.left, to: AudioPlot.right,
      isLogarithmic: panel.isLogarithmic)
    let step = Self.step(high - low)
    let linear = Self.steps(from: (low / step).rounded(.up) * step, to: high, step)
    let marks = panel.isLogarithmic ? Self.decades(from: low, to: high) : linear
    for value in marks {
      drawRotatedText(at: axis.position(value), &drawing)
      let text =
        panel.isLogarithmic ? Self.kilo(value) : Self.text(value, linear)
      drawing.text(text, axis.position(value), bottom + 16, size: 11, .middle, .faint)
    }
    drawing.text(panel.horizontalUnit, AudioPlot.right, bottom + 34, size: 11, .end, .faint)
    return axis
  }

  /// A round step for 5 to 12 lines.
  private static func step(_ range: Double) -> Double {
    guard range > 0, range.isFinite else { return 1 }
    let decade = pow(10, (log10(range / 10)).rounded(.down))
    return [1, 2, 5, 10].map { $0 * decade }.first { range / $0 <= 12 } ?? decade * 10
  }

  private static func steps(from low: Double, to high: Double, _ step: Double) -> [Double] {
    let count = Int(((high - low) / step + 1e-6).rounded(.down))
    return count >= 0 ? (0 ... min(count, 100)).map { low + Double($0) * step } : []
  }

  /// 1, 2 and 5 of each decade.
  private static func decades(from low: Double, to high: Double) -> [Double] {
    guard low > 0, high > low else { return [] }
    let first = Int(log10(low).rounded(.down))
    let last = Int(log10(high).rounded(.up))
    return (first ... last).flatMap { decade in [1.0, 2, 5].map { $0 * pow(10, Double(decade)) } }
      .filter { low * 0.999 ... high * 1.001 ~= $0 }
  }

  private static func text(_ value: Double, _ all: [Double]) -> String {
    let step = all.count > 1 ? abs(all[1] - all[0]) : 1
    return Axis.fixed(value, step >= 1 ? 0 : min(6, Int((-log10(step) - 1e-9).rounded(.up))))
  }

  private static func kilo(_ value: Double) -> String {
    value >= 1_000
      ? "\(Axis.fixed(value / 1_000, 0))k" : Axis.fixed(value, value >= 1 ? 0 : 2)
  }

  private func legend(_ drawing: inout Drawing) {
    var x = AudioPlot.right
    for (index, curve) in panel.curves.enumerated().reversed() {
      let name = String(curve.name.prefix(40))
      drawing.text(name, x, top - 9, size: 11, .end, .faint)
      let start = x - Double(name.count) * 6.2 - 28
      drawing.line(
        [Point(x: start, y: top - 13), Point(x: start + 20, y: top - 13)], width: 2,
        Self.colour(index))
      x = start - 18
    }
  }
}
