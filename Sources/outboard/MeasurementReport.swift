// MeasurementReport.swift: measurements of plugins as a table, as CSV, as JSON and as a plot.
// SPDX-License-Identifier: MIT

import AudioFiles
import Console
import HostModel
import Metering
import OfflineDriver
import Plotting
import PluginLoading
import Session

/// A measured plugin, chain or rig.
struct MeasuredSide {
  let name: String
  let declaredLatency: Int
  let values: PluginMeasurement
}

extension SideRendering {
  /// Renders the measurement signal in this process and measures the output.
  ///
  /// - Throws: errors of the plugins.
  func measure(
    _ signal: MeasurementSignal, _ library: PluginLibrary, _ interruption: TerminationSignals
  ) throws -> MeasuredSide {
    let (input, output) = (try signal.file(channelCount: 2), try UnnamedFile())
    var request = RenderRequest(output: "-")
    request.input = input.path
    request.standardOutput = output.descriptor
    request.format = .float
    request.tailSeconds = 0
    let session = try RenderSession(prepared, library, request)
    for note in session.notes { Terminal.error.writeLine("outboard: \(named(note))") }
    let report = try session.run { _ in !interruption.isRaised }
    for note in RenderFormatter.notes(report) {
      Terminal.error.writeLine("outboard: \(named(note))")
    }
    return MeasuredSide(
      name: name, declaredLatency: session.latencyFrames,
      values: try PluginMeasurement(output, signal))
  }
}

/// Measurements side by side.
struct MeasurementReport {
  private let signal: MeasurementSignal
  private let sides: [MeasuredSide]
  /// What the table shows: octaves, and tones of these levels.
  private static let shownHz = [31.25, 62.5, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]
  private static let shownLevels: Set = [-60.0, -36, -24, -12, -6, 0]

  init(_ signal: MeasurementSignal, _ sides: [MeasuredSide]) {
    (self.signal, self.sides) = (signal, sides)
  }

  /// One measured quantity.
  private struct Row {
    let name: String
    let place: String
    let unit: String
    let places: Int
    let values: [Double]
  }

  private func row(
    _ name: String, _ place: String, _ unit: String, places: Int,
    _ value: (MeasuredSide) -> Double
  ) -> Row {
    Row(name: name, place: place, unit: unit, places: places, values: sides.map(value))
  }

  private func rows(isWhole: Bool) -> [Row] {
    var rows = [
      row("Latency, declared", "", "frames", places: 0) { Double($0.declaredLatency) },
      row("Latency, measured", "", "frames", places: 0) {
        Double($0.declaredLatency + $0.values.delayFrames)
      },
      row("Noise", "", "dBFS", places: 1) { $0.values.noise },
      row("DC offset", "", "of 1", places: 6) { $0.values.offset },
    ]
    let frequencies = sides.first.map { $0.values.response.map(\.hertz) } ?? []
    let shown = isWhole ? frequencies : Self.shownHz.filter { $0 <= frequencies.last ?? 0 }
    rows += shown.map { hertz in
      let index =
        frequencies.indices.min {
          abs(frequencies[$0] / hertz - 1) < abs(frequencies[$1] / hertz - 1)
        } ?? 0
      return row("Gain", Self.text(hertz) + " Hz", "dB", places: 2) {
        $0.values.response[index].gain
      }
    }
    let levels = MeasurementSignal.toneLevels.indices.filter {
      isWhole || Self.shownLevels.contains(MeasurementSignal.toneLevels[$0])
    }
    func tones(
      _ name: String, _ unit: String, _ value: @escaping (PluginMeasurement.Tone) -> Double
    ) -> [Row] {
      levels.map { index in
        let level = NumberFormat.short(MeasurementSignal.toneLevels[index])
        return row(name, "\(level) dBFS", unit, places: 1) { value($0.values.tones[index]) }
      }
    }
    rows += tones("Output", "dBFS") { $0.level }
    rows += tones("THD", "dB") { $0.distortion }
    return rows + tones("THD+N", "dB") { $0.distortionAndNoise }
  }

  private static func text(_ hertz: Double) -> String {
    NumberFormat.fixed(hertz, places: hertz < 100 ? 1 : 0)
  }

  /// The most important values.
  var table: Table {
    var table = Table(
      [.init(""), .init("AT", .right)] + sides.map { .init($0.name, .right) } + [.init("")])
    for row in rows(isWhole: false) {
      table.add(
        [row.name, row.place] + row.values.map { NumberFormat.fixed($0, places: row.places) }
          + [row.unit])
    }
    return table
  }

  /// All values, one line for each.
  var csv: [String] {
    func quoted(_ text: String) -> String {
      text.contains { "\",\n".contains($0) }
        ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
    return [(["quantity", "at", "unit"] + sides.map(\.name)).map(quoted).joined(separator: ",")]
      + rows(isWhole: true).map { row in
        ([row.name, row.place, row.unit].map(quoted)
          + row.values.map { NumberFormat.short($0, places: 6) }).joined(separator: ",")
      }
  }

  /// The response, the distortion and the static curve.
  var plot: CurvePlot {
    func curves(_ points: (PluginMeasurement) -> [SIMD2<Double>]) -> [CurvePlot.Curve] {
      sides.map { CurvePlot.Curve($0.name, points($0.values)) }
    }
    let title = sides.map(\.name).joined(separator: ", ")
    return CurvePlot(
      title,
      [
        .init(
          "Frequency response at -20 dBFS", unit: "dB", horizontalUnit: "Hz", isLogarithmic: true,
          curves { $0.response.map { SIMD2($0.hertz, $0.gain) } }),
        .init(
          "Harmonic distortion of 1 kHz", unit: "dB", horizontalUnit: "input, dBFS",
          curves { $0.tones.map { SIMD2($0.inputLevel, max(-160, $0.distortion)) } }),
        .init(
          "Static curve at 1 kHz", unit: "output, dBFS", horizontalUnit: "input, dBFS",
          curves { $0.tones.map { SIMD2($0.inputLevel, $0.level) } }),
      ])
  }
}

/// The measurements of a side as JSON; levels that are infinite are nil.
struct MeasurementJSON: Encodable {
  struct Point: Encodable {
    let hertz: Double
    let gain: Double?
  }
  struct Tone: Encodable {
    let input: Double
    let output: Double?
    let thd: Double?
    let thdAndNoise: Double?
    let offset: Double
  }

  let name: String
  let sampleRateHz: Int
  let declaredLatencyFrames: Int
  let measuredLatencyFrames: Int
  let isInverted: Bool
  let noise: Double?
  let offset: Double
  let toneHz: Double
  let response: [Point]
  let tones: [Tone]

  init(_ side: MeasuredSide, _ signal: MeasurementSignal) {
    let values = side.values
    (name, sampleRateHz) = (side.name, signal.sampleRateHz)
    declaredLatencyFrames = side.declaredLatency
    measuredLatencyFrames = side.declaredLatency + values.delayFrames
    (isInverted, noise, offset) = (values.isInverted, values.noise.finiteForJSON, values.offset)
    toneHz = signal.toneHz
    response = values.response.map { Point(hertz: $0.hertz, gain: $0.gain.finiteForJSON) }
    tones = values.tones.map { tone in
      Tone(
        input: tone.inputLevel, output: tone.level.finiteForJSON,
        thd: tone.distortion.finiteForJSON, thdAndNoise: tone.distortionAndNoise.finiteForJSON,
        offset: tone.offset)
    }
  }
}
