// TimePanels.swift: waveform and loudness over time. SPDX-License-Identifier: MIT

import Glibc
import Metering

/// Draws the samples of each channel.
struct WaveformPanel: AudioPanel {
  let audio: FileAnalysis
  let history: LevelHistory
  let top: Double
  let height: Double

  func draw(in drawing: inout Drawing) {
    let count = min(AudioPlot.shownChannels, history.waveform.count)
    let hidden = history.waveform.count - count
    heading(
      hidden > 0 ? "Waveform (channels 1 to \(count) of \(count + hidden))" : "Waveform", &drawing)
    unit("dBFS", &drawing)
    times(&drawing)
    let rowHeight = height / Double(count)
    for channel in 0 ..< count {
      let middle = top + rowHeight * (Double(channel) + 0.5)
      row(channel, middle, rowHeight / 2 - 9, labels: count == 1 ? 3 : count == 2 ? 2 : 1, &drawing)
      let names = ["L", "R"]
      let name = count == 2 ? names[channel] : count == 1 ? "" : "\(channel + 1)"
      drawing.text(name, AudioPlot.right + 14, middle + 5, size: 13, isBold: true)
      if channel > 0 {
        let y = top + rowHeight * Double(channel)
        drawing.line(
          [Point(x: AudioPlot.left, y: y), Point(x: AudioPlot.right, y: y)], .frame)
      }
    }
    frame(&drawing)
  }

  private func row(
    _ channel: Int, _ middle: Double, _ half: Double, labels: Int, _ drawing: inout Drawing
  ) {
    for (index, decibels) in [0.0, -6, -12].enumerated() {
      let amplitude = pow(10, decibels / 20)
      // As many as fit.
      let text = index < labels ? "\(Int(decibels))" : nil
      level(text, at: middle - half * amplitude, &drawing)
      level(labels > 1 ? text : nil, at: middle + half * amplitude, &drawing)
    }
    level("-inf", at: middle, &drawing)
    let points = history.waveform[channel]
    func x(_ index: Double) -> Double { time.position(index * history.waveformStep) }
    func y(_ value: Float) -> Double {
      // The minimum height, so that silence is a visible line.
      middle - half * Double(min(1, max(-1, value)))
    }
    guard !points.isEmpty else { return }
    let upper = points.enumerated().map {
      Point(x: x(Double($0.offset) + 0.5), y: min(y($0.element.high), middle - 0.4))
    }
    let lower = points.enumerated().reversed().map {
      Point(x: x(Double($0.offset) + 0.5), y: max(y($0.element.low), middle + 0.4))
    }
    drawing.area(upper + lower, .wave)
    for (index, point) in points.enumerated() where max(point.high, -point.low) >= 1 {
      let position = x(Double(index) + 0.5)
      if point.high >= 1 { mark(position, middle - half, &drawing) }
      if point.low <= -1 { mark(position, middle + half, &drawing) }
    }
  }

  /// The marks of clipped samples.
  private func mark(_ x: Double, _ y: Double, _ drawing: inout Drawing) {
    drawing.line([Point(x: x, y: y - 3), Point(x: x, y: y + 3)], width: 1.5, .clipped)
  }
}

/// Draws the momentary, short-term and integrated loudness.
struct LoudnessPanel: AudioPanel {
  let audio: FileAnalysis
  let history: LevelHistory
  let top: Double
  let height: Double
  private static let depth = 60.0

  func draw(in drawing: inout Drawing) {
    heading("Loudness", &drawing)
    unit("LUFS", &drawing)
    times(&drawing)
    let loudest = history.momentary.filter(\.isFinite).max() ?? 0
    let high = max(0, (loudest / 10).rounded(.up) * 10)
    let axis = Axis(high - Self.depth, high, from: bottom, to: top)
    for value in stride(from: high - Self.depth, through: high, by: 10) {
      level("\(Int(value))", at: axis.position(value), &drawing)
    }
    line(history.momentary, axis, width: 1, .momentary, &drawing)
    // Short-term loudness is defined only after 3 s.
    if audio.seconds >= 3 { line(history.shortTerm, axis, width: 2, .shortTerm, &drawing) }
    if audio.reading.integrated.isFinite {
      let y = axis.position(audio.reading.integrated)
      drawing.line(
        [Point(x: AudioPlot.left, y: y), Point(x: AudioPlot.right, y: y)], width: 1.5,
        dash: 6,
        .integrated)
    }
    frame(&drawing)
    legend(&drawing)
  }

  private func line(
    _ values: [Double], _ axis: Axis, width: Double, _ colour: Colour, _ drawing: inout Drawing
  ) {
    let points = values.enumerated().map {
      Point(
        x: time.position((Double($0.offset) + 1) * history.loudnessStep),
        y: axis.position($0.element))
    }
    drawing.line(points, width: width, colour)
  }

  private func legend(_ drawing: inout Drawing) {
    let entries: [(String, Colour, Double)] = [
      ("momentary, 0.4 s", .momentary, 0), ("short-term, 3 s", .shortTerm, 0),
      ("integrated \(Axis.fixed(audio.reading.integrated, 1)) LUFS", .integrated, 6),
    ]
    var x = AudioPlot.right
    for (text, colour, dash) in entries.reversed() {
      drawing.text(text, x, top - 9, size: 11, .end, .faint)
      let start = x - Double(text.count) * 6.2 - 28
      drawing.line(
        [Point(x: start, y: top - 13), Point(x: start + 20, y: top - 13)], width: 2, dash: dash,
        colour)
      x = start - 18
    }
  }
}
