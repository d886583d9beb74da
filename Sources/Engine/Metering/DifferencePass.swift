// DifferencePass.swift: the difference of two aligned files. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc
import RealtimeKit

/// Subtracts a file from another one and measures the difference.
final class DifferencePass {
  private static let ticksPerSecond = 200.0
  private static let pointCount = 2_000
  private static let rowCount = 256
  private static let lowestHz = 20.0

  private let channelCount: Int
  private let sampleRateHz: Double
  private let scale: Double
  private let settings: ComparisonSettings
  private let threshold: Double
  private var sums: [DifferenceSums]
  private(set) var largest: Comparison.Position?
  private(set) var earliest: Comparison.Position?
  private var highest = 0.0
  private let reference: BandSpectrum
  private let difference: BandSpectrum
  private var peaks: Timeline<SIMD2<Float>>
  private let tickFrames: Int

  /// Multiplies the first file by `scale` before it is subtracted.
  init(_ input: ComparisonInput, scale: Double, _ settings: ComparisonSettings) {
    channelCount = input.channelCount
    sampleRateHz = Double(input.sampleRateHz)
    self.scale = scale
    self.settings = settings
    threshold = settings.threshold.map { pow(10, $0 / 20) } ?? 0
    sums = Array(repeating: DifferenceSums(), count: channelCount)
    reference = BandSpectrum(channelCount: channelCount, sampleRateHz: sampleRateHz)
    difference = BandSpectrum(channelCount: channelCount, sampleRateHz: sampleRateHz)
    peaks = Timeline(limit: Self.pointCount) { pointwiseMax($0, $1) }
    tickFrames = max(1, Int((sampleRateHz / Self.ticksPerSecond).rounded()))
  }

  /// Reads and measures all frames of a range; returns false if `shouldContinue` returned false.
  func read(
    _ inputs: (ComparisonInput, ComparisonInput), _ range: ComparedRange,
    shouldContinue: (Double?) -> Bool
  ) throws(AudioFileError) -> Bool {
    var one = try AlignedReader(inputs.0, from: range.start)
    var other = try AlignedReader(inputs.1, from: range.start + range.delayFrames)
    // Whole ticks, so that a tick never crosses the end of a block.
    let blockFrames = max(1, ComparisonScan.blockFrames / tickFrames) * tickFrames
    let first = PlanarBuffer(channelCount: channelCount, frameCapacity: blockFrames)
    let second = PlanarBuffer(channelCount: channelCount, frameCapacity: blockFrames)
    let frames = UnsafeMutablePointer<Float>.allocate(capacity: blockFrames * channelCount)
    defer { frames.deallocate() }
    pad(frames, blockFrames, reference.size / 2)
    var done = 0
    while done < range.frameCount {
      let length = min(blockFrames, range.frameCount - done)
      try one.read(into: first.channels, frameCount: length)
      try other.read(into: second.channels, frameCount: length)
      for channel in 0 ..< channelCount {
        subtract(first[channel], second[channel], length, channel, from: range.start + done)
      }
      follow(first, second, length)
      take(first, frames, length, reference)
      take(second, frames, length, difference)
      done += length
      guard shouldContinue(Double(done) / Double(range.frameCount)) else { return false }
    }
    pad(frames, blockFrames, reference.size)
    peaks.flush()
    return true
  }

  /// Replaces the second row by the difference, and invalid samples by silence.
  private func subtract(
    _ first: UnsafeMutablePointer<Float>, _ second: UnsafeMutablePointer<Float>, _ count: Int,
    _ channel: Int, from start: Int
  ) {
    var sum = DifferenceSums()
    for frame in 0 ..< count {
      var (one, other) = (Double(first[frame]), Double(second[frame]))
      if !(one.isFinite && other.isFinite) {
        if one.isFinite != other.isFinite {
          note(.infinity, start + frame, channel)
          sum.peak = .infinity
        }
        if !one.isFinite { one = 0 }
        if !other.isFinite { other = 0 }
      }
      let plain = other - one
      let value = other - scale * one
      sum.add(one, plain, value)
      let magnitude = value.magnitude
      if magnitude > sum.peak {
        sum.peak = magnitude
        if magnitude > highest { note(magnitude, start + frame, channel) }
      }
      if magnitude > threshold, start + frame < earliest?.frame ?? .max {
        note(magnitude, start + frame, channel)
      }
      first[frame] = Float(one)
      second[frame] = Float(value)
    }
    sums[channel].add(sum)
  }

  private func note(_ magnitude: Double, _ frame: Int, _ channel: Int) {
    let position = Comparison.Position(
      frame: frame, channel: channel, level: DecibelConversion.fromAmplitude(magnitude))
    if magnitude > threshold, frame < earliest?.frame ?? .max { earliest = position }
    guard magnitude > highest else { return }
    highest = magnitude
    largest = position
  }

  /// Records the peaks of each tick.
  private func follow(
    _ first: borrowing PlanarBuffer, _ second: borrowing PlanarBuffer, _ count: Int
  ) {
    guard settings.isDrawn else { return }
    for start in stride(from: 0, to: count, by: tickFrames) {
      var peak = SIMD2<Float>(0, 0)
      for channel in 0 ..< channelCount {
        for frame in start ..< min(count, start + tickFrames) {
          peak = pointwiseMax(
            peak, SIMD2(first[channel][frame].magnitude, second[channel][frame].magnitude))
        }
      }
      peaks.append(peak)
    }
  }

  private func take(
    _ rows: borrowing PlanarBuffer, _ frames: UnsafeMutablePointer<Float>, _ count: Int,
    _ spectrum: BandSpectrum
  ) {
    Interleaving.join(
      rows.channels, from: 0, to: frames, channelCount: channelCount, frameCount: count)
    spectrum.take(frames, frameCount: count)
  }

  /// Adds silence to the spectra, so that the first and the last frames are not outside of all windows.
  private func pad(_ frames: UnsafeMutablePointer<Float>, _ capacity: Int, _ count: Int) {
    frames.update(repeating: 0, count: capacity * channelCount)
    var left = count
    while left > 0 {
      let length = min(left, capacity)
      reference.take(frames, frameCount: length)
      difference.take(frames, frameCount: length)
      left -= length
    }
  }

  // MARK: - Results

  private var all: DifferenceSums {
    sums.reduce(into: DifferenceSums()) { $0.add($1) }
  }

  /// The values of all channels together.
  var total: Comparison.Levels { all.levels }
  /// The values of each channel.
  var channels: [Comparison.Levels] { sums.map(\.levels) }
  /// -1 if the second file is inverted, otherwise 1.
  var sign: Double { all.factor.map { $0 < 0 ? -1 : 1 } ?? 1 }

  /// The octaves whose centres are below a frequency, with nominal and exact centres (IEC 61260-1).
  static func octaves(below hertz: Double) -> [(nominal: Double, exact: Double)] {
    let nominal = [31.5, 63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000]
    return nominal.enumerated().map { ($0.element, 1_000 * pow(10, 0.3 * Double($0.offset - 5))) }
      .filter { $0.1 < hertz }
  }

  /// The null depth of each octave.
  var bands: [Comparison.Band] {
    let (powers, remains) = (reference.meanPowers, difference.meanPowers)
    let half = pow(10, 0.15)
    return Self.octaves(below: sampleRateHz / 2).map { nominal, exact in
      let top = min(sampleRateHz / 2, exact * half)
      let power = reference.power(from: exact / half, to: top, in: powers)
      let rest = difference.power(from: exact / half, to: top, in: remains)
      return Comparison.Band(
        centreHz: nominal, null: power > 0 ? DecibelConversion.fromPower(rest / power) : nil)
    }
  }

  /// The data for a plot.
  var history: ComparisonHistory {
    let topHz = min(sampleRateHz / 2, 24_000)
    let ratio = pow(topHz / Self.lowestHz, 1 / Double(Self.rowCount))
    let bandHz = (0 ..< Self.rowCount).map { Self.lowestHz * pow(ratio, Double($0) + 0.5) }
    func levels(_ spectrum: BandSpectrum) -> [Double] {
      let means = spectrum.meanPowers
      return bandHz.map {
        DecibelConversion.fromPower(spectrum.power(around: $0, ratio, in: means))
      }
    }
    func decibels(_ value: Float) -> Double { DecibelConversion.fromAmplitude(Double(value)) }
    return ComparisonHistory(
      step: Double(tickFrames * peaks.span) / sampleRateHz,
      reference: peaks.points.map { decibels($0.x) },
      difference: peaks.points.map { decibels($0.y) }, bandHz: bandHz,
      referenceSpectrum: levels(reference), differenceSpectrum: levels(difference))
  }
}

/// Sums over the samples of a channel: enough for all mean levels.
struct DifferenceSums {
  /// Squares of the first file.
  private var squares = 0.0
  /// Products of the first file and the plain difference, and squares of the plain difference.
  private var products = 0.0
  private var plainSquares = 0.0
  /// Squares of the difference.
  private var remains = 0.0
  /// The largest magnitude of the difference.
  var peak = 0.0

  mutating func add(_ one: Double, _ plain: Double, _ value: Double) {
    squares += one * one
    products += one * plain
    plainSquares += plain * plain
    remains += value * value
  }

  mutating func add(_ other: DifferenceSums) {
    squares += other.squares
    products += other.products
    plainSquares += other.plainSquares
    remains += other.remains
    peak = max(peak, other.peak)
  }

  /// The factor between the files, by least squares; nil if the first one is silent.
  var factor: Double? { squares > 0 ? 1 + products / squares : nil }

  /// The rounding error of the sums.
  private static let precision = 1e-14

  var levels: Comparison.Levels {
    let gain = factor.flatMap { $0 == 0 ? nil : DecibelConversion.fromAmplitude($0.magnitude) }
    let rest = squares > 0 ? plainSquares - products * products / squares : plainSquares
    let scaled = (factor ?? 0) * (factor ?? 0) * squares
    // Smaller rests are rounding errors.
    let matched = rest > Self.precision * plainSquares ? rest : 0
    return Comparison.Levels(
      gain: gain, null: Self.ratio(remains, squares), matchedNull: Self.ratio(matched, scaled),
      peak: DecibelConversion.fromAmplitude(peak))
  }

  private static func ratio(_ rest: Double, _ power: Double) -> Double {
    rest > 0 ? power > 0 ? DecibelConversion.fromPower(rest / power) : .infinity : -.infinity
  }
}
