// ComparisonPlot.swift: plots of a comparison. SPDX-License-Identifier: MIT

package import Metering

/// A plot with the levels and the spectra of the first file and of the difference.
package enum ComparisonPlot {
  /// Returns the content of the plot file in the format of the extension. [any]
  ///
  /// - Precondition: the comparison was made for a plot.
  /// - Throws: if the format is unknown or unavailable.
  package static func bytes(
    of comparison: Comparison, for path: String
  ) throws(PlotError) -> [UInt8] {
    try AudioPlot.bytes(of: drawing(of: comparison), for: path)
  }

  static func drawing(of comparison: Comparison) -> Drawing {
    var drawing = Drawing(width: AudioPlot.width, height: 690)
    title(comparison, &drawing)
    precondition(comparison.history != nil, "a comparison is made for a plot")
    guard let history = comparison.history else { return drawing }
    let seconds = Double(comparison.frameCount) / Double(comparison.first.sampleRateHz)
    DifferenceLevelPanel(history: history, seconds: seconds, top: 118, height: 230).draw(
      in: &drawing)
    DifferenceSpectrumPanel(history: history, seconds: seconds, top: 418, height: 220)
      .draw(in: &drawing)
    return drawing
  }

  private static func title(_ comparison: Comparison, _ drawing: inout Drawing) {
    let names = [comparison.first.name, comparison.second.name].map { name in
      String((name.split(separator: "/").last.map(String.init) ?? name).prefix(45))
    }
    drawing.text(
      "\(names[1]) minus \(names[0])", AudioPlot.left, 40, size: 20, isBold: true)
    let values = [
      ("Delay", "\(comparison.delayFrames) frames"),
      ("Level", comparison.total.gain.map { "\(Axis.fixed($0, 2)) dB" } ?? "–"),
      ("Null depth", "\(Axis.fixed(comparison.total.null, 1)) dB"),
      ("Level matched", "\(Axis.fixed(comparison.total.matchedNull, 1)) dB"),
      ("Largest difference", "\(Axis.fixed(comparison.total.peak, 1)) dBFS"),
    ]
    let step = (AudioPlot.right - AudioPlot.left) / Double(values.count)
    for (index, value) in values.enumerated() {
      let x = AudioPlot.left + step * Double(index)
      drawing.text(value.0, x, 62, size: 10.5, .start, .faint)
      drawing.text(value.1, x, 78, size: 12.5, isBold: true, .start)
    }
  }
}

/// A panel with a curve of the first file and one of the difference, in decibels.
protocol DifferencePanel: Panel {
  var history: ComparisonHistory { get }
}

extension DifferencePanel {
  /// The level axis; silence is at its lower end.
  var levels: Axis { Axis(Self.lowest, Self.highest, from: bottom, to: top) }

  private static var lowest: Double { -160 }
  private static var highest: Double { 0 }

  func drawLevels(_ drawing: inout Drawing) {
    for value in stride(from: Self.lowest, through: Self.highest, by: 20) {
      level("\(Int(value))", at: levels.position(value), &drawing)
    }
  }

  /// Draws both curves.
  func draw(_ reference: [Point], _ difference: [Point], _ drawing: inout Drawing) {
    drawing.line(reference, width: 1.4, .momentary)
    drawing.line(difference, width: 1.4, .clipped)
    frame(&drawing)
    var x = AudioPlot.right
    let entries: [(String, Colour)] = [("difference", .clipped), ("first file", .momentary)]
    for (text, colour) in entries {
      drawing.text(text, x, top - 9, size: 11, .end, .faint)
      let start = x - Double(text.count) * 6.2 - 28
      drawing.line(
        [Point(x: start, y: top - 13), Point(x: start + 20, y: top - 13)], width: 2, colour)
      x = start - 18
    }
  }
}

/// Draws the peaks over time.
struct DifferenceLevelPanel: DifferencePanel {
  let history: ComparisonHistory
  let seconds: Double
  let top: Double
  let height: Double

  func draw(in drawing: inout Drawing) {
    heading("Peak level", &drawing)
    unit("dBFS", &drawing)
    times(&drawing)
    drawLevels(&drawing)
    draw(points(history.reference), points(history.difference), &drawing)
  }

  private func points(_ values: [Double]) -> [Point] {
    values.enumerated().map {
      Point(
        x: time.position((Double($0.offset) + 0.5) * history.step), y: levels.position($0.element))
    }
  }
}

/// Draws the mean spectra.
struct DifferenceSpectrumPanel: DifferencePanel {
  let history: ComparisonHistory
  let seconds: Double
  let top: Double
  let height: Double

  func draw(in drawing: inout Drawing) {
    heading("Mean spectrum", &drawing)
    unit("dB, 0 = sine of full scale", &drawing)
    drawLevels(&drawing)
    for hertz in Axis.frequencies where hertz <= highestHz {
      let x = frequencies.position(hertz)
      drawRotatedText(at: x, &drawing, Axis.namedFrequencies[hertz] == nil ? .grid : .frame)
      if let name = Axis.namedFrequencies[hertz] {
        drawing.text(name, x, bottom + 16, size: 11, .middle, .faint)
      }
    }
    drawing.text("Hz", AudioPlot.right + 14, bottom + 16, size: 11, .start, .faint)
    draw(points(history.referenceSpectrum), points(history.differenceSpectrum), &drawing)
  }

  private var frequencies: Axis {
    Axis(20, highestHz, from: AudioPlot.left, to: AudioPlot.right, isLogarithmic: true)
  }

  private var highestHz: Double { Axis.highest(history.bandHz) }

  private func points(_ values: [Double]) -> [Point] {
    zip(history.bandHz, values).map {
      Point(x: frequencies.position($0), y: levels.position($1))
    }
  }
}
