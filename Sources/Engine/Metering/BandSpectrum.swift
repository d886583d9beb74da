// BandSpectrum.swift: the spectrum of a stream, by lines and by thirds of an octave. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// Spectra of overlapping segments, averaged continuously.
///
/// The powers of the channels are averaged, so that out-of-phase audio does not cancel. Segments
/// are long enough for lines 4 to 6 Hz apart. Each band gets its share of the lines at its edges
/// (IEC 61260-1's bands, without its filters: below 50 Hz a tone also shows in the neighbouring
/// bands).
final class BandSpectrum {
  /// Sound level meters' F, IEC 61672-1.
  private static let averagingSeconds = 0.125
  private static let nominal: [Double] = [
    20, 25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1_000, 1_250,
    1_600, 2_000, 2_500, 3_150, 4_000, 5_000, 6_300, 8_000, 10_000, 12_500, 16_000, 20_000,
  ]

  /// Frames in a stretch, and from its beginning to that of the next one.
  let size: Int
  let hop: Int
  let lineHz: Double
  private let channelCount: Int
  private let window: [Double]
  private let scale: Double
  private let powerScale: Double
  /// The newest frames of each channel.
  private var history: [[Double]]
  private var filled = 0
  /// The power of each line of the last stretch, 1 for a sine of full scale over the lines it falls on.
  private(set) var powers: [Double]
  private var averages: [Double]
  private var sums: [Double]
  /// The number of spectra so far.
  private(set) var count = 0

  /// Stretches follow one another after the `overlap`th part of one.
  init(channelCount: Int, sampleRateHz: Double, overlap: Int = 2) {
    var size = 1_024
    while Double(size) < sampleRateHz / 6 { size *= 2 }
    self.size = size
    hop = size / overlap
    lineHz = sampleRateHz / Double(size)
    self.channelCount = channelCount
    window = (0 ..< size).map { 0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(size)) }
    scale = 4 / (Double(size) * window.reduce(0) { $0 + $1 * $1 }) / Double(channelCount)
    powerScale = 1 - exp(-Double(hop) / sampleRateHz / Self.averagingSeconds)
    history = Array(repeating: Array(repeating: 0, count: size), count: channelCount)
    powers = Array(repeating: 0, count: size / 2)
    averages = powers
    sums = powers
  }

  /// Takes interleaved frames.
  func take(_ frames: UnsafePointer<Float>, frameCount: Int) {
    var done = 0
    while done < frameCount {
      let length = min(frameCount - done, size - filled)
      for channel in 0 ..< channelCount {
        for frame in 0 ..< length {
          history[channel][filled + frame] = Double(frames[(done + frame) * channelCount + channel])
        }
      }
      filled += length
      done += length
      if filled == size { transform() }
    }
  }

  private func transform() {
    for line in powers.indices { powers[line] = 0 }
    // Two channels are the two parts of one complex transform: lines k and -k have both powers in sum.
    for first in stride(from: 0, to: channelCount, by: 2) {
      var real = zip(history[first], window).map { $0 * $1 }
      var imaginary =
        first + 1 < channelCount
        ? zip(history[first + 1], window).map { $0 * $1 } : Array(repeating: 0, count: size)
      FourierTransform.forward(&real, &imaginary)
      for line in 1 ..< size / 2 {
        let other = size - line
        let both =
          real[line] * real[line] + imaginary[line] * imaginary[line]
          + real[other] * real[other] + imaginary[other] * imaginary[other]
        powers[line] += both / 2 * scale
      }
    }
    let powerScale = count == 0 ? 1 : powerScale
    for line in powers.indices {
      averages[line] += powerScale * (powers[line] - averages[line])
      sums[line] += powers[line]
    }
    count += 1
    for channel in 0 ..< channelCount {
      history[channel].removeFirst(hop)
      history[channel].append(contentsOf: repeatElement(0, count: hop))
    }
    filled = size - hop
  }

  /// The mean power of each line since the start.
  var meanPowers: [Double] { sums.map { $0 / Double(max(1, count)) } }

  /// Thirds of an octave with the nominal centres of IEC 61260-1 below half the rate; empty before
  /// the first segment.
  var bands: [MeterReading.Band] {
    guard count > 0 else { return [] }
    return Self.nominal.compactMap { nominal in
      // Exact centres are tenths of a decade from 1 kHz.
      let centre = 1_000 * pow(10, (10 * log10(nominal / 1_000)).rounded() / 10)
      let half = pow(10, 0.05)
      guard centre * half <= lineHz * Double(size / 2) else { return nil }
      return MeterReading.Band(
        centreHz: nominal,
        level: DecibelConversion.fromPower(
          power(from: centre / half, to: centre * half, in: averages)))
    }
  }

  /// Returns the power between two frequencies; lines at the edges count by their share in the
  /// range.
  func power(from low: Double, to high: Double, in powers: [Double]) -> Double {
    let first = max(1, Int((low / lineHz + 0.5).rounded(.down)))
    let last = min(powers.count - 1, Int((high / lineHz + 0.5).rounded(.down)))
    guard first <= last else { return 0 }
    var sum = 0.0
    for line in first ... last {
      let lower = max(low, (Double(line) - 0.5) * lineHz)
      let upper = min(high, (Double(line) + 0.5) * lineHz)
      sum += powers[line] * max(0, upper - lower) / lineHz
    }
    return sum
  }
}
