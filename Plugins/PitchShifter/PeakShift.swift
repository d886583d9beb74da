// PeakShift.swift: moves the peaks of a spectrum with their surroundings. SPDX-License-Identifier: MIT
//
// J. Laroche and M. Dolson, New Phase-Vocoder Techniques for Pitch-Shifting, Harmonizing and Other Exotic
// Effects, WASPAA 1999. A peak moves by the nearest number of whole bins, and its phase turns by the exact
// shift from one frame to the next. Phases within a peak are kept, and both channels turn by the same angle,
// which preserves the stereo image. Rounding causes a small, known loss of level, which is compensated.

import ModuleABI
import ModuleKit

/// The peaks of the spectra of two channels, detected together.
struct PeakShift {
  /// The power of each bin, of both channels.
  let powers: UnsafeMutablePointer<Float>
  private let binCount: Int
  private let overlap: Int
  // The last spectra of both channels, as arrays of real and imaginary parts.
  private let last: UnsafeMutablePointer<Float>
  // Turns, of the region that each bin was in last, and is in now.
  private let turns: UnsafeMutablePointer<Float>
  private let nextTurns: UnsafeMutablePointer<Float>
  private let peaks: UnsafeMutablePointer<Int32>
  private let frequencies: UnsafeMutablePointer<Float>  // of the peaks, bins
  private var peakCount = 0
  // The compensation of the rounding, for offsets from 0 to half a bin.
  private let corrections: UnsafeMutablePointer<Float>

  private static let correctionCount = 128
  /// Peaks below this power are ignored, relative to full scale.
  private static let faintest: Float = 1e-12

  init(binCount: Int, overlap: Int) {
    self.binCount = binCount
    self.overlap = overlap
    powers = .allocate(capacity: binCount)
    last = .allocate(capacity: 4 * binCount)
    turns = .allocate(capacity: binCount)
    nextTurns = .allocate(capacity: binCount)
    peaks = .allocate(capacity: binCount)
    frequencies = .allocate(capacity: binCount)
    corrections = .allocate(capacity: Self.correctionCount + 1)
    for index in 0 ... Self.correctionCount {
      let offset = 0.5 * Double(index) / Double(Self.correctionCount)
      // The transform of the squared Hann window, 3/8 + cos / 2 + cos 2 / 8.
      let level =
        0.375 * Self.sinc(offset)
        + 0.25 * (Self.sinc(offset - 1) + Self.sinc(offset + 1))
        + 0.0625 * (Self.sinc(offset - 2) + Self.sinc(offset + 2))
      corrections[index] = Float(0.375 / level)
    }
    clear()
  }

  func free() {
    powers.deallocate()
    last.deallocate()
    turns.deallocate()
    nextTurns.deallocate()
    peaks.deallocate()
    frequencies.deallocate()
    corrections.deallocate()
  }

  @_noLocks
  mutating func clear() {
    powers.update(repeating: 0, count: binCount)
    last.update(repeating: 0, count: 4 * binCount)
    turns.update(repeating: 0, count: binCount)
    nextTurns.update(repeating: 0, count: binCount)
    peakCount = 0
  }

  private static func sinc(_ x: Double) -> Double {
    abs(x) < 1e-9 ? 1 : realtime_sin(Double.pi * x) / (Double.pi * x)
  }

  // MARK: - Finding

  /// Finds the bins that are higher than two neighbours on either side, and their frequencies.
  @_noLocks
  mutating func findPeaks(_ spectra: UnsafePointer<Float>) {
    let (left, right) = (spectra, spectra + 2 * binCount)
    for bin in stride(from: 0, to: binCount, by: 4) {
      let (a, b) = (UnalignedSIMD.load(left + bin), UnalignedSIMD.load(left + binCount + bin))
      let (c, d) = (UnalignedSIMD.load(right + bin), UnalignedSIMD.load(right + binCount + bin))
      UnalignedSIMD.store((a * a + b * b) + (c * c + d * d), powers + bin)
    }
    // The last bin is stored there, which is not moved.
    powers[0] = left[0] * left[0] + right[0] * right[0]
    let scale = Float(binCount)
    let threshold = Self.faintest * scale * scale
    peakCount = 0
    for bin in 2 ..< binCount - 2 {
      let power = powers[bin]
      guard power > threshold, power > powers[bin - 1], power >= powers[bin + 1],
        power > powers[bin - 2], power >= powers[bin + 2]
      else { continue }
      peaks[peakCount] = Int32(bin)
      frequencies[peakCount] = Float(frequency(bin, spectra))
      peakCount += 1
    }
    UnsafeMutableRawPointer(last).copyMemory(from: spectra, byteCount: 16 * binCount)
  }

  /// Returns the phase change of the louder channel since the last frame, as a frequency in bins.
  @_noLocks
  private func frequency(_ bin: Int, _ spectra: UnsafePointer<Float>) -> Double {
    func power(_ channel: Int) -> Float {
      let position = 2 * binCount * channel + bin
      return spectra[position] * spectra[position] + spectra[position + binCount]
        * spectra[position + binCount]
    }
    let position = 2 * binCount * (power(1) > power(0) ? 1 : 0) + bin
    let (real, imaginary) = (Double(spectra[position]), Double(spectra[position + binCount]))
    let (lastReal, lastImaginary) = (Double(last[position]), Double(last[position + binCount]))
    let angle = realtime_atan2(
      imaginary * lastReal - real * lastImaginary, real * lastReal + imaginary * lastImaginary)
    // In the time between two frames bin k turns k / overlap times.
    let expected = Double(bin % overlap) / Double(overlap)
    var excess = angle / (2 * Double.pi) - expected
    excess -= Double(Int(excess + (excess < 0 ? -0.5 : 0.5)))
    let offset = excess * Double(overlap)
    // A peak is in its bin; a larger offset means that it has just begun.
    return Double(bin) + (abs(offset) <= 1.5 ? offset : 0)
  }

  // MARK: - Moving

  /// Writes the peaks to their new positions.
  ///
  /// - Parameters:
  ///   - spectra: the spectra of both channels.
  ///   - target: the new spectra of both channels.
  ///   - ratio: the frequency ratio, above 0.
  ///   - levels: the envelope to preserve, in dB for each bin, if any.
  @_noLocks
  mutating func move(
    _ spectra: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, ratio: Double,
    levels: UnsafePointer<Float>?
  ) {
    target.update(repeating: 0, count: 4 * binCount)
    if ratio == 1 {
      // The first and the last bin, which are real and in one element, belong to no peak.
      for row in 0 ..< 4 { target[row * binCount] = spectra[row * binCount] }
    }
    var begin = 0
    for peak in 0 ..< peakCount {
      let end = peak + 1 < peakCount ? minimumBin(after: peak) : binCount
      let bin = Int(peaks[peak])
      let distance = (ratio - 1) * Double(frequencies[peak])
      let whole = Int(distance + (distance < 0 ? -0.5 : 0.5))
      let offset = distance - Double(whole)
      var turn = Double(turns[bin]) + distance / Double(overlap)
      turn -= Double(Int(turn))
      if turn < 0 { turn += 1 }
      for position in begin ..< end { nextTurns[position] = Float(turn) }
      var gain = corrections[Int(abs(offset) * 2 * Double(Self.correctionCount))]
      if let levels {
        let there = min(max(bin + whole, 0), binCount - 1)
        gain *= Decibels.fastAmplitude(min(max(levels[there] - levels[bin], -40), 40))
      }
      // Between the frames the phase advances with the bin's own frequency; in the middle of a frame it is
      // exact.
      var binTurn = turn + 0.5 * offset
      if binTurn >= 1 { binTurn -= 1 }
      if binTurn < 0 { binTurn += 1 }
      let sine = Float(Sine.ofTurns(binTurn)) * gain
      let cosine = Float(Sine.ofTurns(binTurn + 0.25 >= 1 ? binTurn - 0.75 : binTurn + 0.25)) * gain
      add(begin, end, by: whole, SIMD2(cosine, sine), spectra, target)
      begin = end
    }
    for position in begin ..< binCount { nextTurns[position] = 0 }
    UnsafeMutableRawPointer(turns).copyMemory(from: nextTurns, byteCount: 4 * binCount)
  }

  /// The lowest bin between a peak and the next.
  @_noLocks
  private func minimumBin(after peak: Int) -> Int {
    var lowest = Int(peaks[peak]) + 1
    for bin in lowest ..< Int(peaks[peak + 1]) where powers[bin] < powers[lowest] { lowest = bin }
    return lowest
  }

  /// Adds a region with a phase change, shifted by bins; parts outside of the spectrum are dropped.
  @_noLocks
  private func add(
    _ begin: Int, _ end: Int, by whole: Int, _ turned: SIMD2<Float>,
    _ spectra: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>
  ) {
    let first = max(begin, max(1, 1 - whole))
    let afterLast = min(end, binCount - max(0, whole))
    guard first < afterLast else { return }
    for channel in 0 ..< 2 {
      let (real, imaginary) = (
        spectra + 2 * binCount * channel, spectra + 2 * binCount * channel + binCount
      )
      let (toReal, toImaginary) = (
        target + 2 * binCount * channel, target + 2 * binCount * channel + binCount
      )
      for bin in first ..< afterLast {
        toReal[bin + whole] += real[bin] * turned.x - imaginary[bin] * turned.y
        toImaginary[bin + whole] += real[bin] * turned.y + imaginary[bin] * turned.x
      }
    }
  }
}
