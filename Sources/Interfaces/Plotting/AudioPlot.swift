// AudioPlot.swift: plots of an audio file. SPDX-License-Identifier: MIT

package import ErrorModel
package import Metering

/// Why there is no picture.
package enum PlotError: Equatable {
  /// The name ends with neither `.png` nor `.svg`.
  case unknownKind(path: String)
  /// cairo is not installed.
  case noCairo(path: String)

  /// The message to the user.
  package var description: String {
    switch self {
    case .unknownKind(let path):
      "\(path) has no known plot extension. Use .png or .svg."
    case .noCairo(let path):
      "\(path) needs the library cairo (Debian: libcairo2), which is not installed. Install it"
        + " or use .svg."
    }
  }
}

/// A plot with the waveform, the loudness, the spectrogram and the spectrum of a file.
package enum AudioPlot {
  /// Checks that the file name has a known extension. [any]
  package static func checkExtension(_ path: String) throws(PlotError) {
    guard isPNG(path) || path.lowercased().hasSuffix(".svg") else {
      throw .unknownKind(path: path)
    }
  }

  /// Returns the content of the plot file in the format of the extension. [any]
  ///
  /// - Precondition: the file was analysed for a plot.
  /// - Throws: if the format is unknown or unavailable.
  package static func bytes(of audio: FileAnalysis, for path: String) throws(PlotError)
    -> [UInt8]
  {
    try bytes(of: drawing(of: audio), for: path)
  }

  /// Returns the content of the file of a drawing.
  static func bytes(of drawing: Drawing, for path: String) throws(PlotError) -> [UInt8] {
    try checkExtension(path)
    guard isPNG(path) else { return Array(SVGRenderer.text(of: drawing).utf8) }
    guard let bytes = PNGRenderer.bytes(of: drawing) else { throw .noCairo(path: path) }
    return bytes
  }

  static func isPNG(_ path: String) -> Bool { path.lowercased().hasSuffix(".png") }

  /// The left and right edges of all panels.
  static let (left, right) = (84.0, 1_130.0)
  static let width = 1_200.0
  /// The maximum number of channels; more would be too small to distinguish.
  static let shownChannels = 8

  static func drawing(of audio: FileAnalysis) -> Drawing {
    let history = audio.history
    precondition(history != nil, "a sound is analysed for a picture")
    let waves = min(shownChannels, audio.channelCount)
    let waveHeight = waves == 1 ? 140.0 : max(236, Double(waves) * 66)
    let tops = (wave: 118.0, loudness: 118 + waveHeight + 56)
    let spectrogramTop = tops.loudness + 160 + 56
    let spectrumTop = spectrogramTop + 250 + 66
    var drawing = Drawing(width: width, height: spectrumTop + 210 + 54)
    title(audio, &drawing)
    guard let history else { return drawing }
    WaveformPanel(audio: audio, history: history, top: tops.wave, height: waveHeight).draw(
      in: &drawing)
    LoudnessPanel(audio: audio, history: history, top: tops.loudness, height: 160).draw(
      in: &drawing)
    SpectrogramPanel(audio: audio, history: history, top: spectrogramTop, height: 250).draw(
      in: &drawing)
    SpectrumPanel(audio: audio, history: history, top: spectrumTop, height: 210).draw(in: &drawing)
    return drawing
  }

  private static func title(_ audio: FileAnalysis, _ drawing: inout Drawing) {
    let name = audio.path.split(separator: "/").last.map(String.init) ?? audio.path
    drawing.text(String(name.prefix(80)), left, 40, size: 20, isBold: true)
    let kind = [1: "mono", 2: "stereo"][audio.channelCount] ?? "\(audio.channelCount) channels"
    let rate = Axis.fixed(
      Double(audio.sampleRateHz) / 1_000, audio.sampleRateHz % 1_000 == 0 ? 0 : 1)
    drawing.text(
      "\(kind), \(rate) kHz, \(length(audio.seconds))", right, 40, size: 13, .end, .faint)
    let reading = audio.reading
    let values = [
      ("Peak", "\(Axis.fixed(reading.highest, 1)) dBFS"),
      ("True peak", "\(Axis.fixed(reading.truePeak, 1)) dBTP"),
      ("Integrated", "\(Axis.fixed(reading.integrated, 1)) LUFS"),
      ("Range", "\(Axis.fixed(reading.range ?? 0, 1)) LU"),
      ("Short-term max", "\(Axis.fixed(reading.highestShortTerm, 1)) LUFS"),
      ("Noise floor", "\(Axis.fixed(audio.noiseFloor, 1)) dBFS"),
      ("Clips", "\(reading.clipCount)"),
    ]
    let step = (right - left) / Double(values.count)
    for (index, value) in values.enumerated() {
      let x = left + step * Double(index)
      drawing.text(value.0, x, 62, size: 10.5, .start, .faint)
      drawing.text(value.1, x, 78, size: 12.5, isBold: true, .start)
    }
  }

  private static func length(_ seconds: Double) -> String {
    seconds < 60 ? "\(Axis.fixed(seconds, 2)) s" : Axis.text(seconds, step: 1)
  }
}

/// A panel with axes.
protocol Panel {
  var top: Double { get }
  var height: Double { get }
  /// The length of the time axis in seconds.
  var seconds: Double { get }
}

/// A panel about a file.
protocol AudioPanel: Panel {
  var audio: FileAnalysis { get }
}

extension AudioPanel {
  var seconds: Double { audio.seconds }
}

extension Panel {
  var bottom: Double { top + height }

  /// The time axis, from the left edge to the right.
  var time: Axis {
    Axis(0, max(seconds, 1e-6), from: AudioPlot.left, to: AudioPlot.right)
  }

  func heading(_ text: String, _ drawing: inout Drawing) {
    drawing.text(text, AudioPlot.left, top - 9, size: 13, isBold: true)
  }

  func unit(_ text: String, _ drawing: inout Drawing) {
    drawing.text(text, 26, top + height / 2, size: 11, isUpright: true, .middle, .faint)
  }

  /// Draws a horizontal line with its value on the left.
  func level(_ text: String?, at y: Double, _ drawing: inout Drawing) {
    drawing.line(
      [Point(x: AudioPlot.left, y: y), Point(x: AudioPlot.right, y: y)], .grid)
    if let text { drawing.text(text, AudioPlot.left - 8, y + 4, size: 11, .end, .faint) }
  }

  func drawRotatedText(at x: Double, _ drawing: inout Drawing, _ colour: Colour = .grid) {
    drawing.line([Point(x: x, y: top), Point(x: x, y: bottom)], colour)
  }

  /// Draws vertical lines at round times, with the times below.
  func times(_ drawing: inout Drawing, _ colour: Colour = .grid) {
    let (step, marks) = Axis.times(seconds)
    for mark in marks {
      let x = time.position(mark)
      drawRotatedText(at: x, &drawing, colour)
      drawing.text(
        Axis.text(mark, step: step), x, bottom + 16, size: 11, .middle, .faint)
    }
    let unit = step < 1 ? "s" : seconds < 3_600 ? "min:s" : "h:min:s"
    drawing.text(unit, AudioPlot.right + 24, bottom + 16, size: 11, .start, .faint)
  }

  func frame(_ drawing: inout Drawing) {
    let (left, right) = (AudioPlot.left, AudioPlot.right)
    drawing.line(
      [
        Point(x: left, y: top), Point(x: right, y: top), Point(x: right, y: bottom),
        Point(x: left, y: bottom), Point(x: left, y: top),
      ], .frame)
  }
}

extension PlotError: HostError {
  /// Plot errors are errors of the request.
  package var kind: ErrorKind { .usage }
}
