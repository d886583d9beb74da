// LevelHistoryRecorder.swift: records a measurement over time. SPDX-License-Identifier: MIT

import Glibc

/// A histogram of levels, in steps of a tenth of a decibel.
struct LevelHistogram {
  private static let lowest = -200.0
  private var counts = [Int](repeating: 0, count: 2_400)
  private var silentCount = 0
  private var count = 0

  /// Counts a level in dB.
  mutating func add(_ level: Double) {
    count += 1
    guard level > Self.lowest else {
      silentCount += 1
      return
    }
    counts[min(counts.count - 1, Int((level - Self.lowest) * 10))] += 1
  }

  /// The level that 5 % of the windows stay below; minus infinity for silence.
  var level: Double {
    var rest = count / 20 - silentCount
    guard count > 0, rest >= 0 else { return -.infinity }
    for (index, number) in counts.enumerated() {
      rest -= number
      if rest < 0 { return Self.lowest + (Double(index) + 0.5) / 10 }
    }
    return -.infinity
  }
}

/// Records the data of a plot of the whole measurement, and values that only the whole gives.
final class LevelHistoryRecorder: TickObserver {
  private static let rowCount = 256
  /// Parts of a tick in the waveform.
  private static let partCount = 8
  private static let lowestHz = 20.0

  private(set) var floor = LevelHistogram()
  private var products = 0.0
  private let isDrawn: Bool
  private var waveform: Timeline<[LevelHistory.MinMax]>
  private var loudness: Timeline<SIMD2<Double>>
  private var spectra: Timeline<[Float]>
  private var spectrumCount = 0
  private let bandHz: [Double]
  private var highest: [Double]
  private var tickCount = 0

  init(_ measurement: LevelMeasurement, isDrawn: Bool) {
    self.isDrawn = isDrawn
    waveform = Timeline(limit: 2_400) { one, other in
      zip(one, other).map { .init(low: min($0.low, $1.low), high: max($0.high, $1.high)) }
    }
    loudness = Timeline(limit: 2_400) { pointwiseMax($0, $1) }
    spectra = Timeline(limit: 1_800) { one, other in zip(one, other).map { max($0, $1) } }
    let topHz = min(measurement.sampleRateHz / 2, 24_000)
    let rowCount = Self.rowCount
    bandHz = (0 ..< rowCount).map {
      Self.lowestHz * pow(topHz / Self.lowestHz, (Double($0) + 0.5) / Double(rowCount))
    }
    highest = Array(repeating: 0, count: rowCount)
  }

  func tickCompleted(of measurement: LevelMeasurement) {
    tickCount += 1
    products += measurement.lastProduct
    if tickCount >= 30, tickCount % 10 == 0 { addToFloor(measurement) }
    guard isDrawn else { return }
    takeExtents(measurement)
    loudness.append(SIMD2(measurement.momentary, measurement.shortTerm))
    guard let spectrum = measurement.spectrum, spectrum.count > spectrumCount else { return }
    spectrumCount = spectrum.count
    let powers = bandHz.map { spectrum.power(around: $0, bandRatio, in: spectrum.powers) }
    for row in highest.indices { highest[row] = max(highest[row], powers[row]) }
    spectra.append(powers.map { Float(DecibelConversion.fromPower($0)) })
  }

  /// Records the samples of a tick in parts, so that short sounds are visible.
  private func takeExtents(_ measurement: LevelMeasurement) {
    let count = measurement.channelCount
    for part in 0 ..< Self.partCount {
      let first = measurement.held * part / Self.partCount
      let end = measurement.held * (part + 1) / Self.partCount
      waveform.append(
        (0 ..< count).map { channel in
          var extent = LevelHistory.MinMax(low: .infinity, high: -.infinity)
          for frame in first ..< end {
            let sample = measurement.tick[frame * count + channel]
            extent.low = min(extent.low, sample)
            extent.high = max(extent.high, sample)
          }
          return extent.low <= extent.high ? extent : LevelHistory.MinMax(low: 0, high: 0)
        })
    }
  }

  private func addToFloor(_ measurement: LevelMeasurement) {
    let squares = (0 ..< measurement.channelCount).reduce(0) { $0 + measurement.meanSquare($1) }
    floor.add(DecibelConversion.ofMeanSquare(squares / Double(measurement.channelCount)))
  }

  /// Ends the measurement: a rest that is shorter than a window counts as one.
  func end(_ measurement: LevelMeasurement) {
    if tickCount < 30 { addToFloor(measurement) }
  }

  /// The frequency ratio between two rows.
  private var bandRatio: Double { bandHz[1] / bandHz[0] }

  /// Returns the correlation of two channels over everything, given their mean squares.
  func correlation(_ squares: [Double], _ frameCount: Double) -> Double? {
    guard squares.count == 2, squares[0] * squares[1] > 0 else { return nil }
    let fraction = products / frameCount / (squares[0] * squares[1]).squareRoot()
    return min(1, max(-1, fraction))
  }

  /// Returns everything that was recorded.
  func history(_ measurement: LevelMeasurement) -> LevelHistory {
    waveform.flush()
    loudness.flush()
    spectra.flush()
    let tickSeconds = Double(measurement.tickFrames) / measurement.sampleRateHz
    let spectrum = measurement.spectrum
    let hop = Double(spectrum?.hop ?? 1) / measurement.sampleRateHz
    let stretch = Double(spectrum?.size ?? 1) / measurement.sampleRateHz
    let means = spectrum?.meanPowers ?? []
    let powers = bandHz.map { spectrum?.power(around: $0, bandRatio, in: means) ?? 0 }
    return LevelHistory(
      waveformStep: tickSeconds * Double(waveform.span) / Double(Self.partCount),
      loudnessStep: tickSeconds * Double(loudness.span), spectraStep: hop * Double(spectra.span),
      spectraStart: max(0, (stretch - hop) / 2),
      waveform: (0 ..< measurement.channelCount).map { channel in
        waveform.points.map { $0[channel] }
      }, momentary: loudness.points.map(\.x), shortTerm: loudness.points.map(\.y),
      spectra: spectra.points, bandHz: bandHz,
      meanSpectrum: powers.map(DecibelConversion.fromPower),
      highestSpectrum: highest.map(DecibelConversion.fromPower))
  }
}

extension BandSpectrum {
  /// Returns the strongest line in a row of a plot, or an interpolated value if lines are farther
  /// apart.
  func power(around hertz: Double, _ ratio: Double, in powers: [Double]) -> Double {
    let first = Int((hertz / ratio.squareRoot() / lineHz).rounded(.up))
    let last = min(powers.count - 1, Int((hertz * ratio.squareRoot() / lineHz).rounded(.down)))
    if first < last { return powers[first ... last].max() ?? 0 }
    let position = hertz / lineHz
    let line = min(powers.count - 2, max(0, Int(position)))
    let fraction = min(1, max(0, position - Double(line)))
    return powers[line] * (1 - fraction) + powers[line + 1] * fraction
  }
}
