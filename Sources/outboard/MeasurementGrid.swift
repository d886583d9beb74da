// MeasurementGrid.swift: distortion at all levels and frequencies as text. SPDX-License-Identifier: MIT

import Console
import Metering

extension MeasurementReport {
  /// All values of the grid, for CSV.
  var gridRows: [Row] {
    let tones = sides.first?.values.grid ?? []
    func rows(
      _ name: String, _ unit: String, _ value: @escaping (PluginMeasurement.Tone) -> Double
    ) -> [Row] {
      tones.indices.map { index in
        let level = NumberFormat.short(tones[index].inputLevel)
        let condition = "\(Self.text(tones[index].hertz)) Hz, \(level) dBFS"
        return row(name, condition, unit, places: 1) { value($0.values.grid[index]) }
      }
    }
    return rows("Output", "dBFS") { $0.level } + rows("THD", "dB") { $0.distortion }
      + rows("THD+N", "dB") { $0.distortionAndNoise } + rows("Aliases", "dB") { $0.aliases }
  }

  /// A table for each side: frequencies down, levels across.
  var gridLines: [String] {
    guard signal.hasGrid else { return [] }
    return sides.flatMap { side in
      let levels = MeasurementSignal.toneLevels
      var table = Table(
        [.init("HZ \\ DBFS", .right)] + levels.map { .init(NumberFormat.short($0), .right) })
      let tones = side.values.grid
      for start in stride(from: 0, to: tones.count, by: levels.count) {
        table.add(
          [Self.text(tones[start].hertz)]
            + tones[start ..< start + levels.count].map {
              NumberFormat.fixed($0.distortionAndNoise, places: 1)
            })
      }
      return ["", "THD+N in dB by frequency and level: \(side.name)"] + table.lines(width: nil)
    }
  }
}
