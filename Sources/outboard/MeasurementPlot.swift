// MeasurementPlot.swift: the plot of measurements. SPDX-License-Identifier: MIT

import Console
import Metering
import Plotting

extension MeasurementReport {
  /// The levels of the grid that have a curve.
  private static let drawnLevels = [-60.0, -48, -36, -24, -12, -6, 0]

  /// The responses, the distortion and the static curve.
  var plot: CurvePlot {
    func curves(_ points: (PluginMeasurement) -> [SIMD2<Double>]) -> [CurvePlot.Curve] {
      sides.map { CurvePlot.Curve($0.shortName, points($0.values)) }
    }
    let title = sides.map(\.shortName).joined(separator: ", ")
    let level = NumberFormat.short(MeasurementSignal.frequencyLevel) + " dBFS"
    return CurvePlot(
      title,
      [
        .init(
          "Frequency response at -20 dBFS", unit: "dB", horizontalUnit: "Hz", isLogarithmic: true,
          curves { $0.response.map { SIMD2($0.hertz, $0.gain) } }),
        .init(
          "Group delay", unit: "ms", horizontalUnit: "Hz", isLogarithmic: true, minimumHeight: 1,
          curves { $0.response.map { SIMD2($0.hertz, $0.groupDelay * 1_000) } }),
        .init(
          "Impulse response", unit: "of 1", horizontalUnit: "ms", minimumHeight: 0.1,
          curves { values in
            values.impulseResponse.prefix(1_024).enumerated().map { index, value in
              let frame = Double(index - PluginMeasurement.impulseLeadFrames)
              return SIMD2(frame / Double(signal.sampleRateHz) * 1_000, Double(value))
            }
          }),
        .init(
          "Harmonic distortion at \(level)", unit: "dB", horizontalUnit: "Hz", isLogarithmic: true,
          curves { $0.frequencyTones.map { SIMD2($0.hertz, Self.floored($0.distortion)) } }),
        .init(
          "Aliases at \(level)", unit: "dB", horizontalUnit: "Hz", isLogarithmic: true,
          curves { $0.frequencyTones.map { SIMD2($0.hertz, Self.floored($0.aliases)) } }),
        .init(
          "Harmonic distortion of 1 kHz", unit: "dB", horizontalUnit: "input, dBFS",
          curves { $0.tones.map { SIMD2($0.inputLevel, Self.floored($0.distortion)) } }),
        .init(
          "Static curve at 1 kHz", unit: "output, dBFS", horizontalUnit: "input, dBFS",
          curves { $0.tones.map { SIMD2($0.inputLevel, $0.level) } }),
        .init(
          "Gain after a step from -40 to -10 dBFS and back", unit: "dB", horizontalUnit: "s",
          curves { values in
            values.step.curve.enumerated().map {
              SIMD2(Double($0) * values.step.intervalSeconds, max(-120, $1))
            }
          }),
      ] + gridPanels)
  }

  /// The lowest level that is drawn, in dB; a curve ends at NaN.
  private static func floored(_ decibels: Double) -> Double {
    decibels.isNaN ? decibels : max(-160, decibels)
  }

  /// A panel for each side, with a curve for each level that is shown.
  private var gridPanels: [CurvePlot.Panel] {
    guard signal.hasGrid else { return [] }
    return sides.map { side in
      let name = sides.count > 1 ? ": \(side.shortName)" : ""
      return .init(
        "THD+N by level of the input\(name)", unit: "dB", horizontalUnit: "Hz", isLogarithmic: true,
        Self.drawnLevels.map { level in
          CurvePlot.Curve(
            NumberFormat.short(level) + " dBFS",
            side.values.grid.filter { $0.inputLevel == level }.map {
              SIMD2($0.hertz, Self.floored($0.distortionAndNoise))
            })
        })
    }
  }
}
