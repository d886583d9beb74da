// ToneSpectrum.swift: the lines of a steady tone. SPDX-License-Identifier: MIT

import RealtimeKit

/// The spectrum of the measured frames of a tone, which have whole periods.
struct ToneSpectrum {
  private let real: [Double]
  private let imaginary: [Double]
  /// The mean of the samples.
  let mean: Double
  /// The mean square without the mean.
  let total: Double

  /// Transforms the frames of a rendering from `start` on.
  init(_ output: [Float], _ start: Int) {
    var real = output[start ..< start + MeasurementSignal.toneFrames].map(Double.init)
    let count = Double(real.count)
    let mean = real.reduce(0, +) / count
    total = real.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    var imaginary = [Double](repeating: 0, count: real.count)
    FourierTransform.forward(&real, &imaginary)
    (self.real, self.imaginary, self.mean) = (real, imaginary, mean)
  }

  /// The number of lines below half the rate.
  var lineCount: Int { real.count / 2 }

  /// Returns the mean square of a line; 0 outside of the spectrum.
  func power(_ line: Int) -> Double {
    guard 0 ..< lineCount ~= line else { return 0 }
    let count = Double(real.count)
    return 2 * (real[line] * real[line] + imaginary[line] * imaginary[line]) / (count * count)
  }

  /// Returns the sum of the mean squares of lines.
  func power(_ lines: [Int]) -> Double { lines.map(power).reduce(0, +) }

  /// Returns the line on which a frequency above half the rate is folded.
  func folded(_ line: Int) -> Int {
    let rest = line % real.count
    return min(rest, real.count - rest)
  }

  /// Returns a ratio of powers in dB; infinite without a whole.
  static func ratio(_ part: Double, _ whole: Double) -> Double {
    whole > 0 ? DecibelConversion.fromPower(part / whole) : .infinity
  }
}

extension PluginMeasurement.Tone {
  /// Harmonics from the second to this one count as distortion.
  private static let harmonicCount = 10
  /// Harmonics up to this one are looked for among the aliases.
  private static let aliasedCount = 64

  /// Measures a tone in a rendering.
  ///
  /// - Parameters:
  ///   - output: the rendering.
  ///   - start: the first measured frame.
  ///   - periods: the number of periods in the measured frames.
  ///   - level: the level of the input in dBFS.
  ///   - signal: the input.
  init(
    _ output: [Float], _ start: Int, _ periods: Int, _ level: Double, _ signal: MeasurementSignal
  ) {
    let spectrum = ToneSpectrum(output, start)
    let fundamental = spectrum.power(periods)
    let harmonics = (2 ... Self.harmonicCount).map { $0 * periods }
    let whole = Set(
      (1 ... Self.aliasedCount).map { $0 * periods }.filter { $0 < spectrum.lineCount })
    let folded = Set(
      (2 ... Self.aliasedCount).map { $0 * periods }.filter { $0 > spectrum.lineCount }
        .map(spectrum.folded)
    ).subtracting(whole).subtracting([0])
    self.init(
      hertz: signal.hertz(of: periods), inputLevel: level,
      level: DecibelConversion.ofMeanSquare(fundamental),
      distortion: harmonics[0] < spectrum.lineCount
        ? ToneSpectrum.ratio(spectrum.power(harmonics), fundamental) : .nan,
      distortionAndNoise: ToneSpectrum.ratio(max(0, spectrum.total - fundamental), fundamental),
      aliases: ToneSpectrum.ratio(spectrum.power(folded.sorted()), fundamental),
      offset: spectrum.mean)
  }
}

/// The intermodulation of two tones.
package struct Intermodulation: Sendable, Equatable {
  /// The frequencies of the first pair in Hz.
  package let modulationHz: SIMD2<Double>
  /// Side bands of the higher tone (orders 2 to 5), relative to it, in dB (SMPTE RP 120).
  package let modulation: Double
  /// The frequencies of the second pair in Hz.
  package let differenceHz: SIMD2<Double>
  /// The difference tone and the tones of order 3, relative to both tones, in dB (IEC 60268-3, CCIF).
  package let difference: Double

  init(_ output: [Float], _ signal: MeasurementSignal) {
    let pairs = signal.pairPeriods
    func hertz(_ pair: (low: Int, high: Int)) -> SIMD2<Double> {
      SIMD2(signal.hertz(of: pair.low), signal.hertz(of: pair.high))
    }
    (modulationHz, differenceHz) = (hertz(pairs[0]), hertz(pairs[1]))
    let (low, high) = pairs[0]
    let first = ToneSpectrum(output, signal.pairStart(0))
    let sides = (1 ... 4).flatMap { [high - $0 * low, high + $0 * low] }
    modulation = ToneSpectrum.ratio(first.power(sides), first.power(high))
    let (lower, higher) = pairs[1]
    let second = ToneSpectrum(output, signal.pairStart(1))
    let products = [higher - lower, 2 * lower - higher, 2 * higher - lower]
    difference = ToneSpectrum.ratio(
      second.power(products), second.power(lower) + second.power(higher))
  }
}
