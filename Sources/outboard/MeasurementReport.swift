// MeasurementReport.swift: measurements of plugins as a table, as CSV and as a plot.
// SPDX-License-Identifier: MIT

import Console
import Metering

/// Measurements side by side.
struct MeasurementReport {
  let signal: MeasurementSignal
  let sides: [MeasuredSide]
  /// The rows of the table: octaves, and tones of these levels.
  private static let shownHz = [31.25, 62.5, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]
  private static let shownLevels: Set = [-60.0, -36, -24, -12, -6, 0]

  init(_ signal: MeasurementSignal, _ sides: [MeasuredSide]) {
    (self.signal, self.sides) = (signal, sides)
  }

  /// One measured quantity.
  struct Row {
    let name: String
    let condition: String
    let unit: String
    let places: Int
    let values: [Double]
    /// Values without a meaning for all sides are left out.
    var isEmpty: Bool { values.allSatisfy(\.isNaN) }
  }

  func row(
    _ name: String, _ condition: String, _ unit: String, places: Int,
    _ value: (MeasuredSide) -> Double
  ) -> Row {
    Row(name: name, condition: condition, unit: unit, places: places, values: sides.map(value))
  }

  private func rows(isWhole: Bool) -> [Row] {
    let rows =
      curves(isWhole) + (isWhole ? gridRows : []) + dynamics(isWhole) + reverberationRows(isWhole)
    return rows.filter { !$0.isEmpty }
  }

  /// The response and the distortion.
  private func curves(_ isWhole: Bool) -> [Row] {
    var rows = [
      row("Latency, declared", "", "frames", places: 0) { Double($0.declaredLatency) },
      row("Latency, measured", "", "frames", places: 0) {
        Double($0.declaredLatency + $0.values.delayFrames)
      },
      row("Noise", "", "dBFS", places: 1) { $0.values.noise },
      row("DC offset", "", "of 1", places: 6) { $0.values.offset },
    ]
    rows += MeasuredSide.blockFrames.map { frames in
      row("CPU time", "\(frames) frames", "µs", places: 2) {
        ($0.blockNanoseconds[frames] ?? .nan) / 1_000
      }
    }
    let frequencies = sides.first.map { $0.values.response.map(\.hertz) } ?? []
    let shown = isWhole ? frequencies : Self.shownHz.filter { $0 <= frequencies.last ?? 0 }
    func points(
      _ name: String, _ unit: String, places: Int,
      _ value: @escaping (MeasuredSide, Int) -> Double
    ) -> [Row] {
      shown.map { hertz in
        let index =
          frequencies.indices.min {
            abs(frequencies[$0] / hertz - 1) < abs(frequencies[$1] / hertz - 1)
          } ?? 0
        return row(name, Self.text(hertz) + " Hz", unit, places: places) { value($0, index) }
      }
    }
    rows += points("Gain", "dB", places: 2) { $0.values.response[$1].gain }
    rows += points("Gain, channel 2", "dB", places: 2) {
      $0.channels.count > 1 ? $0.channels[1].response[$1].gain : .nan
    }
    if isWhole {
      rows += points("Phase", "degrees", places: 1) { $0.values.response[$1].phase }
    }
    rows += points("Group delay", "ms", places: 2) { $0.values.response[$1].groupDelay * 1_000 }
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
    rows += tones("THD+N", "dB") { $0.distortionAndNoise }
    if isWhole { rows += tones("Aliases", "dB") { $0.aliases } }
    let others = sides.first?.values.frequencyTones ?? []
    func byFrequency(
      _ name: String, _ value: @escaping (PluginMeasurement.Tone) -> Double
    ) -> [Row] {
      others.indices.map { index in
        row(name, Self.text(others[index].hertz) + " Hz", "dB", places: 1) {
          value($0.values.frequencyTones[index])
        }
      }
    }
    rows += byFrequency("THD") { $0.distortion }
    rows += byFrequency("THD+N") { $0.distortionAndNoise }
    return rows + byFrequency("Aliases") { $0.aliases }
  }

  /// Intermodulation and the step of the level.
  private func dynamics(_ isWhole: Bool) -> [Row] {
    guard let first = sides.first?.values else { return [] }
    func pair(_ hertz: SIMD2<Double>) -> String {
      "\(Self.text(hertz.x)), \(Self.text(hertz.y)) Hz"
    }
    let levels = MeasurementSignal.stepLevels.map { NumberFormat.short($0) + " dBFS" }
    var rows = [
      row("Intermodulation", pair(first.intermodulation.modulationHz), "dB", places: 1) {
        $0.values.intermodulation.modulation
      },
      row("Difference tones", pair(first.intermodulation.differenceHz), "dB", places: 1) {
        $0.values.intermodulation.difference
      },
      row("Step, gain", "up to " + levels[1], "dB", places: 1) { $0.values.step.gains[1] },
      row("Step, attack", "within 1 dB", "ms", places: 0) {
        $0.values.step.attackSeconds * 1_000
      },
      row("Step, gain", "back to " + levels[2], "dB", places: 1) { $0.values.step.gains[2] },
      row("Step, release", "within 1 dB", "ms", places: 0) {
        $0.values.step.releaseSeconds * 1_000
      },
    ]
    guard isWhole else { return rows }
    rows += first.step.curve.indices.map { index in
      let time = Double(index) * first.step.intervalSeconds * 1_000
      return row("Step", NumberFormat.short(time, places: 1) + " ms", "dB", places: 2) {
        $0.values.step.curve[index]
      }
    }
    let lead = PluginMeasurement.impulseLeadFrames
    return rows
      + first.impulseResponse.indices.map { index in
        row("Impulse response", "\(index - lead)", "of 1", places: 6) {
          Double($0.values.impulseResponse[index])
        }
      }
  }

  /// The decay and the echo density of reverbs.
  private func reverberationRows(_ isWhole: Bool) -> [Row] {
    guard let room = sides.lazy.compactMap(\.values.reverberation).first else { return [] }
    return room.octaves.indices.map { index in
      row("Decay (T60)", Self.text(room.octaves[index].hertz) + " Hz", "s", places: 2) {
        $0.values.reverberation?.octaves[index].seconds ?? .nan
      }
    }
      + room.densities.indices.map { index in
        let time = NumberFormat.short(room.densities[index].seconds * 1_000)
        return row("Echo density", time + " ms", "of 1", places: 2) {
          $0.values.reverberation?.densities[index].value ?? .nan
        }
      }
  }

  static func text(_ hertz: Double) -> String {
    NumberFormat.fixed(hertz, places: hertz < 100 ? 1 : 0)
  }

  /// The most important values.
  var table: Table {
    var table = Table(
      [.init(""), .init("AT", .right)] + sides.map { .init($0.shortName, .right) } + [.init("")])
    for row in rows(isWhole: false) {
      table.add(
        [row.name, row.condition]
          + row.values.map { $0.isNaN ? "-" : NumberFormat.fixed($0, places: row.places) }
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
        ([row.name, row.condition, row.unit].map(quoted)
          + row.values.map { $0.isNaN ? "" : NumberFormat.short($0, places: 6) })
          .joined(separator: ",")
      } + settingLines.map { $0.map(quoted).joined(separator: ",") }
  }

  /// The settings of each side, one line for each node.
  var settings: [String] {
    sides.flatMap { side in
      side.settings.map { node in
        let values = node.values.map { "\($0.symbol)=\($0.text)" }.joined(separator: " ")
        return "\(side.name): \(node.name)\(values.isEmpty ? "" : ": ")\(values)"
      }
    }
  }

  /// The settings as lines of CSV, each with the value of one side.
  private var settingLines: [[String]] {
    sides.indices.flatMap { condition in
      sides[condition].settings.flatMap { node in
        node.values.map { value in
          ["Setting", "\(node.name).\(value.symbol)", value.unit ?? ""]
            + sides.indices.map { $0 == condition ? NumberFormat.short(Double(value.value)) : "" }
        }
      }
    }
  }
}
