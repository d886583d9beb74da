// SpectrumPanels.swift: spectrogram and spectrum. SPDX-License-Identifier: MIT

import Glibc
import Metering

/// Draws the spectrogram.
struct SpectrogramPanel: AudioPanel {
  let audio: FileAnalysis
  let history: LevelHistory
  let top: Double
  let height: Double
  private static let faintest = -110.0
  private static let loudest = -10.0

  func draw(in drawing: inout Drawing) {
    heading("Spectrogram", &drawing)
    unit("Hz", &drawing)
    drawing.rectangle(left, top, AudioPlot.right - left, height, Palette.heat[0])
    if let image {
      drawing.image(image, imageLeft, top, width: imageRight - imageLeft, height: height)
    }
    let axis = Axis.ofFrequencies(history, from: bottom, to: top)
    for (hertz, text) in Axis.namedFrequencies where hertz <= Axis.highest(history) {
      let y = axis.position(hertz)
      drawing.line(
        [Point(x: left, y: y), Point(x: AudioPlot.right, y: y)], Colour(0xffffff, alpha: 0.14))
      drawing.text(text, left - 8, y + 4, size: 11, .end, .faint)
    }
    times(&drawing, Colour(0xffffff, alpha: 0.14))
    frame(&drawing)
    scale(&drawing)
  }

  private var left: Double { AudioPlot.left }

  /// The width of a column is the distance to the next spectrum.
  ///
  /// Each column is centred on its spectrum, and the last ones end with the audio.
  private var imageLeft: Double { time.position(history.spectraStart) }

  private var imageRight: Double {
    time.position(history.spectraStart + Double(history.spectra.count) * history.spectraStep)
  }

  private var image: IndexedImage? {
    let (columns, rows) = (history.spectra.count, history.bandHz.count)
    guard columns > 0, imageRight > imageLeft else { return nil }
    var cells = [UInt8](repeating: 0, count: columns * rows)
    for (column, levels) in history.spectra.enumerated() {
      for (row, level) in levels.enumerated() {
        let fraction = (Double(level) - Self.faintest) / (Self.loudest - Self.faintest)
        cells[(rows - 1 - row) * columns + column] = UInt8(max(0, min(1, fraction)) * 255)
      }
    }
    return IndexedImage(columns: columns, rows: rows, cells: cells, palette: Palette.heat)
  }

  /// Draws the colour scale of levels.
  private func scale(_ drawing: inout Drawing) {
    let bar = IndexedImage(
      columns: 1, rows: 256, cells: (0 ..< 256).reversed().map { UInt8($0) }, palette: Palette.heat)
    let x = AudioPlot.right + 14
    drawing.image(bar, x, top, width: 10, height: height)
    let axis = Axis(Self.faintest, Self.loudest, from: bottom, to: top)
    for value in stride(from: Self.faintest, through: Self.loudest, by: 20) {
      drawing.text("\(Int(value))", x + 14, axis.position(value) + 4, size: 10, .start, .faint)
    }
    drawing.text("dB", x, top - 6, size: 10, .start, .faint)
  }
}

/// Draws the spectrum of the whole file.
struct SpectrumPanel: AudioPanel {
  let audio: FileAnalysis
  let history: LevelHistory
  let top: Double
  let height: Double

  func draw(in drawing: inout Drawing) {
    heading("Spectrum", &drawing)
    unit("dB, 0 = sine of full scale", &drawing)
    let loudest = history.highestSpectrum.filter(\.isFinite).max() ?? 0
    let high = max(-20, (loudest / 20).rounded(.up) * 20)
    let axis = Axis(high - 120, high, from: bottom, to: top)
    for value in stride(from: high - 120, through: high, by: 20) {
      level("\(Int(value))", at: axis.position(value), &drawing)
    }
    let frequency = Axis.ofFrequencies(history, from: AudioPlot.left, to: AudioPlot.right)
    for hertz in Axis.frequencies where hertz <= Axis.highest(history) {
      let x = frequency.position(hertz)
      drawRotatedText(at: x, &drawing, Axis.namedFrequencies[hertz] == nil ? .grid : .frame)
      if let name = Axis.namedFrequencies[hertz] {
        drawing.text(name, x, bottom + 16, size: 11, .middle, .faint)
      }
    }
    drawing.text("Hz", AudioPlot.right + 14, bottom + 16, size: 11, .start, .faint)
    func points(_ levels: [Double]) -> [Point] {
      zip(history.bandHz, levels).map { Point(x: frequency.position($0), y: axis.position($1)) }
    }
    drawing.line(points(history.highestSpectrum), width: 1.2, .highest)
    let means = points(history.meanSpectrum)
    if let first = means.first, let last = means.last {
      drawing.area(
        means + [Point(x: last.x, y: bottom), Point(x: first.x, y: bottom)],
        Colour(0x2f6f9f, alpha: 0.16))
    }
    drawing.line(means, width: 1.8, .shortTerm)
    frame(&drawing)
    legend(&drawing)
  }

  private func legend(_ drawing: inout Drawing) {
    var x = AudioPlot.right
    let entries: [(String, Colour)] = [("highest", .highest), ("mean", .shortTerm)]
    for (text, colour) in entries {
      drawing.text(text, x, top - 9, size: 11, .end, .faint)
      let start = x - Double(text.count) * 6.5 - 30
      drawing.line(
        [Point(x: start, y: top - 13), Point(x: start + 20, y: top - 13)], width: 2, colour)
      x = start - 18
    }
  }
}

extension Axis {
  /// The frequencies to draw.
  static func ofFrequencies(_ history: LevelHistory, from start: Double, to end: Double) -> Axis {
    Axis(20, highest(history), from: start, to: end, isLogarithmic: true)
  }

  /// The upper end: rows are the centres of equal steps.
  static func highest(_ history: LevelHistory) -> Double { highest(history.bandHz) }

  /// Returns the upper end of the axis for the centres of rows.
  static func highest(_ bandHz: [Double]) -> Double {
    guard let first = bandHz.first, let last = bandHz.last else { return 20_000 }
    return last * (first / 20)
  }
}
