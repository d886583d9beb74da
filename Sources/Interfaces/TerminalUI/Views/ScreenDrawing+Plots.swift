// ScreenDrawing+Plots.swift: curves, spectra, loudness and the tuner above the controls of a node. SPDX-License-Identifier: MIT

import Console
import Glibc

extension ScreenDrawing {
  /// The lines of plots; a smaller space has none.
  private static let plotRows = 5 ... 10
  private static let tunerRows = 3
  /// The columns of the numbers at the left of a plot.
  private static let labelColumns = 4
  private static let loudnessFloor = -48.0
  private static let widestBar = 4

  /// Draws the plot of the selected node into the upper part of a space, and returns the rest.
  mutating func drawPlot(_ bounds: Rectangle) -> Rectangle {
    guard model.showsPlots, let plot = NodePlot(model) else { return bounds }
    var rows = min(Self.plotRows.upperBound, bounds.rows / 2)
    if case .tuner = plot { rows = min(rows, Self.tunerRows) }
    let fewest = if case .tuner = plot { Self.tunerRows } else { Self.plotRows.lowerBound }
    guard rows >= fewest else { return bounds }
    var area = bounds
    area.rows = rows
    area.column += 1
    area.columns -= 2
    draw(plot, area)
    var rest = bounds
    rest.row += rows
    rest.rows -= rows
    return rest
  }

  private mutating func draw(_ plot: NodePlot, _ area: Rectangle) {
    switch plot {
    case .equaliser(let bands, let gain): drawResponse(bands, gain, area)
    case .compressor(let curve, let now): drawCompression(curve, now, area)
    case .tuner(let note, let cents, let isSilent): drawTuner(note, cents, isSilent, area)
    case .spectrum(let bands): drawSpectrum(bands, area)
    case .loudness(let history): drawLoudness(history, area)
    }
  }

  /// Writes the dots of a canvas over what is there.
  private mutating func draw(_ canvas: DotCanvas, _ bounds: Rectangle, _ style: Style) {
    for row in 0 ..< canvas.rows {
      for column in 0 ..< canvas.columns {
        guard
          let text = canvas.character(row: row, column: column, isASCII: glyphs.isASCII)
        else { continue }
        write(text, bounds.line(row), from: column, width: 1, style)
      }
    }
  }

  /// The part of a plot right of the numbers, without the lowest line.
  private func canvasBounds(_ area: Rectangle) -> Rectangle {
    Rectangle(
      row: area.row, column: area.column + Self.labelColumns, rows: area.rows - 1,
      columns: max(0, area.columns - Self.labelColumns))
  }

  /// Writes a number at the left, and a line at its height.
  private mutating func drawGridLine(_ text: String, row: Int, _ area: Rectangle) {
    let bounds = canvasBounds(area)
    var label = area.line(row)
    label.columns = Self.labelColumns - 1
    writeRight(text, label, Style(.dim))
    write(
      String(repeating: glyphs.track, count: bounds.columns), bounds.line(row), Style(.track))
  }

  // MARK: - Equaliser

  private mutating func drawResponse(_ bands: [FilterBand], _ gain: Double, _ area: Rectangle) {
    let bounds = canvasBounds(area)
    var canvas = DotCanvas(rows: bounds.rows, columns: bounds.columns)
    func fraction(_ hertz: Double) -> Double { log10(hertz / 20) / 3 }
    let values = (0 ..< canvas.width).map { x in
      NodePlot.response(
        bands, gain: gain, at: 20 * pow(1000, Double(x) / Double(max(1, canvas.width - 1))))
    }
    let isSmall = values.allSatisfy { $0 <= 12 } && bands.allSatisfy { $0.gain >= -12 }
    let range = isSmall ? 12.0 : 24.0
    func height(_ decibels: Double) -> Double {
      (1 - min(range, max(-range, decibels)) / range) / 2 * Double(canvas.height - 1)
    }
    let label = isSmall ? "12" : "24"
    drawGridLine("+\(label)", row: 0, area)
    drawGridLine("0", row: Int(height(0).rounded()) / 4, area)
    drawGridLine("-\(label)", row: bounds.rows - 1, area)
    canvas.draw(values.map { $0 < -range ? nil : Int(height($0).rounded()) })
    draw(canvas, bounds, Style(.accent))
    for band in bands where band.kind != .off {
      let column = Int((fraction(band.hertz) * Double(bounds.columns - 1)).rounded())
      let row = Int(height(band.kind.hasGain ? band.gain : 0).rounded()) / 4
      write("\(band.number)", bounds.line(row), from: column, width: 1, Style(.strong))
    }
    for (hertz, text) in [(20.0, "20 Hz"), (100, "100"), (1_000, "1k"), (10_000, "10k")] {
      let column = Int((fraction(hertz) * Double(bounds.columns - 1)).rounded())
      write(text, bounds.line(bounds.rows), from: column, Style(.dim))
    }
  }

  // MARK: - Compressor

  private mutating func drawCompression(
    _ curve: CompressionCurve, _ now: Double?, _ area: Rectangle
  ) {
    var bounds = canvasBounds(area)
    bounds.columns = min(bounds.columns, 2 * bounds.rows)
    var canvas = DotCanvas(rows: bounds.rows, columns: bounds.columns)
    var diagonal = canvas
    func height(_ decibels: Double) -> Int {
      Int((min(1, decibels / NodePlot.floor) * Double(canvas.height - 1)).rounded())
    }
    func level(_ x: Int) -> Double {
      NodePlot.floor * (1 - Double(x) / Double(max(1, canvas.width - 1)))
    }
    for x in stride(from: 0, to: canvas.width, by: 2) { diagonal.set(x, height(level(x))) }
    canvas.draw((0 ..< canvas.width).map { height(curve.output(level($0))) })
    draw(diagonal, bounds, Style(.track))
    draw(canvas, bounds, Style(.accent))
    var label = area
    label.columns = Self.labelColumns - 1
    writeRight("0", label.line(0), Style(.dim))
    writeRight("-60", label.line(bounds.rows - 1), Style(.dim))
    write("-60", bounds.line(bounds.rows), Style(.dim))
    writeRight("0", bounds.line(bounds.rows), Style(.dim))
    var words = area
    words.column = bounds.column + bounds.columns + 2
    words.columns = max(0, area.column + area.columns - words.column)
    write("Output over input, in dB", words.line(0), Style(.dim))
    guard let now else {
      write("No signal", words.line(2), Style(.dim))
      return
    }
    let column = Int(((1 - now / NodePlot.floor) * Double(bounds.columns - 1)).rounded())
    let row = height(curve.output(now)) / 4
    write(
      glyphs.knob, bounds.line(row), from: min(bounds.columns - 1, column), width: 1, Style(.strong)
    )
    write("Input  \(decibels(now))", words.line(2), .plain)
    write("Output \(decibels(curve.output(now)))", words.line(3), .plain)
  }

  private func decibels(_ value: Double) -> String {
    NumberFormat.right(NumberFormat.fixed(value, places: 1), 5) + " dB"
  }

  // MARK: - Tuner

  private mutating func drawTuner(
    _ note: String, _ cents: Double, _ isSilent: Bool, _ area: Rectangle
  ) {
    let isInTune = !isSilent && abs(cents) <= NodePlot.inTuneCents
    let style = Style(isSilent ? .dim : isInTune ? .good : .strong)
    func centred(_ text: String, _ row: Int, _ style: Style) {
      write(text, area.line(row), from: max(0, (area.columns - text.columnCount) / 2), style)
    }
    centred(isSilent ? "-" : note, 0, style)
    let half = max(4, min(25, (area.columns - 2) / 2))
    let start = area.columns / 2 - half
    for step in -half ... half {
      let isMark = step == 0 || abs(step) == half
      write(
        isMark ? glyphs.vertical : glyphs.track, area.line(1), from: start + half + step,
        width: 1, Style(.track))
    }
    if !isSilent {
      let bounds = Int((min(50, max(-50, cents)) / 50 * Double(half)).rounded())
      write(glyphs.knob, area.line(1), from: start + half + bounds, width: 1, style)
    }
    let distance = NumberFormat.fixed(abs(cents), places: 0)
    let words =
      isSilent
      ? "Play one note."
      : isInTune ? "In tune" : "\(distance) cents too \(cents > 0 ? "high" : "low")"
    centred(words, 2, Style(isInTune ? .good : .plain))
  }

  // MARK: - Spectrum and loudness

  private mutating func drawSpectrum(_ bands: [NodePlot.Band], _ area: Rectangle) {
    let width = max(1, min(Self.widestBar, area.columns / max(1, bands.count)))
    let shown = bands.prefix(area.columns / width)
    let height = area.rows - 1
    for (index, band) in shown.enumerated() {
      let fraction = band.level.isFinite ? min(1, max(0, 1 - band.level / NodePlot.floor)) : 0
      let eighths = Int((fraction * Double(height) * 8).rounded())
      for row in 0 ..< height {
        let part = min(8, max(0, eighths - (height - 1 - row) * 8))
        guard part > 0 else { continue }
        let decibels = NodePlot.floor * Double(row) / Double(height)
        let role: Style.Role = decibels >= -3 ? .bad : decibels >= -12 ? .warning : .good
        let text = String(repeating: glyphs.bars[part], count: max(1, width - (width > 1 ? 1 : 0)))
        write(text, area.line(row), from: index * width, width: width, Style(role))
      }
    }
    let line = area.line(height)
    guard let first = shown.first, let last = shown.last else { return }
    write(first.name, line, Style(.dim))
    let middle = shown.count / 2
    write(shown[middle].name, line, from: middle * width, Style(.dim))
    var end = line
    end.columns = min(line.columns, shown.count * width)
    writeRight(last.name, end, Style(.dim))
  }

  private mutating func drawLoudness(_ history: LoudnessHistory, _ area: Rectangle) {
    let bounds = canvasBounds(area)
    var canvas = DotCanvas(rows: bounds.rows, columns: bounds.columns)
    func height(_ loudness: Double) -> Int {
      Int((min(1, max(0, loudness / Self.loudnessFloor)) * Double(canvas.height - 1)).rounded())
    }
    drawGridLine("0", row: 0, area)
    drawGridLine("-24", row: height(-24) / 4, area)
    drawGridLine("-48", row: bounds.rows - 1, area)
    let values = history.values.suffix(canvas.width)
    let blank = Array<Int?>(repeating: nil, count: canvas.width - values.count)
    canvas.draw(blank + values.map { $0.map(height) })
    draw(canvas, bounds, Style(.accent))
    let line = bounds.line(bounds.rows)
    let seconds = NumberFormat.fixed(Double(canvas.width) * LoudnessHistory.stepSeconds, places: 0)
    let now = history.values.last.flatMap(\.self).map { NumberFormat.fixed($0, places: 1) }
    let all = history.integrated.map { ", integrated \(NumberFormat.fixed($0, places: 1))" } ?? ""
    let text = "momentary \(now ?? "-inf")\(all) LUFS"
    writeRight(text, line, Style(.dim))
    if text.count + seconds.count + 5 < line.columns { write("-\(seconds) s", line, Style(.dim)) }
  }
}
