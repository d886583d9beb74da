// PlotTests.swift: curves, loudness and dots. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import TerminalUI

@Suite struct PlotTests {
  private func band(_ kind: FilterBand.Kind, gain: Double = 0, q: Double = 0.7071) -> FilterBand {
    FilterBand(number: 1, kind: kind, hertz: 1_000, gain: gain, q: q)
  }

  private func expect(
    _ band: FilterBand, _ hertz: Double, _ decibels: Double,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let found = band.decibels(at: hertz)
    #expect(abs(found - decibels) < 0.05, "\(found) dB at \(hertz) Hz", sourceLocation: location)
  }

  @Test func `a band has its gain at its frequency, and none far away`() {
    expect(band(.bell, gain: 9, q: 2), 1_000, 9)
    expect(band(.bell, gain: -9, q: 2), 1_000, -9)
    expect(band(.bell, gain: 9, q: 2), 10, 0)
    expect(band(.lowShelf, gain: 6), 1, 6)
    expect(band(.lowShelf, gain: 6), 1_000, 3)
    expect(band(.lowShelf, gain: 6), 1_000_000, 0)
    expect(band(.highShelf, gain: -6), 1, 0)
    expect(band(.highShelf, gain: -6), 1_000, -3)
    expect(band(.highShelf, gain: -6), 1_000_000, -6)
    expect(band(.highPass), 1_000, -3.01)
    expect(band(.highPass), 100, -40)
    expect(band(.lowPass), 1_000, -3.01)
    expect(band(.lowPass), 10_000, -40)
    expect(band(.bandPass, q: 3), 1_000, 0)
    expect(band(.notch, q: 3), 1_000, -120)
    expect(band(.off, gain: 12), 1_000, 0)
  }

  @Test func `bands are read until the first that is missing`() {
    var values: [String: Double] = ["output_gain": 2]
    for number in [1, 2, 4] {
      values["band_\(number)_type"] = Double(number)
      values["band_\(number)_frequency"] = 100
      values["band_\(number)_gain"] = 1
      values["band_\(number)_q"] = 1
    }
    #expect(FilterBand.bands(values).map(\.kind) == [.bell, .lowShelf])
    #expect(FilterBand.bands(["band_1_type": 1]).isEmpty)
  }

  @Test func `a compressor keeps low levels, and its inverse finds the input`() {
    let curve = CompressionCurve(threshold: -20, ratio: 4, knee: 6)
    #expect(curve.output(-40) == -40)
    #expect(curve.output(0) == -15)
    #expect(abs(curve.output(-17) - -19.25) < 1e-9)
    for input in stride(from: -22.0, through: 0, by: 0.5) {
      let reduction = input - curve.output(input)
      #expect(abs(curve.input(reducedBy: reduction) - input) < 0.01)
    }
  }

  @Test func `a curve has no gaps`() {
    var canvas = DotCanvas(rows: 2, columns: 3)
    canvas.draw([7, 7, 0, 0, nil, 3])
    for column in 0 ..< 2 {
      let columns = (0 ..< 2).map { canvas.character(row: $0, column: column, isASCII: true) }
      #expect(columns.contains { $0 != nil })
    }
    #expect(canvas.character(row: 0, column: 2, isASCII: true) == ".")
    #expect(canvas.character(row: 1, column: 2, isASCII: true) == nil)
    // All eight heights of the step are there.
    let dots = (0 ..< 2).flatMap { row in
      (0 ..< 2).compactMap { canvas.character(row: row, column: $0, isASCII: false) }
    }.flatMap(\.unicodeScalars).reduce(0) { $0 + ($1.value - 0x2800).nonzeroBitCount }
    #expect(dots >= 8)
    canvas.set(-1, 0)
    canvas.set(6, 8)
  }

  @Test func `a history has a value for each half second, and gaps in between`() {
    var history = LoudnessHistory()
    history.take(-20, at: 0)
    history.take(-21, at: 0.3)
    history.take(-22, at: 0.6)
    history.take(-23, at: 2.1)
    #expect(history.values == [-21, -22, nil, nil, -23])
    history.take(nil, at: 1e6)
    #expect(history.values.count == 600)
    #expect(history.values.allSatisfy { $0 == nil })
  }
}
