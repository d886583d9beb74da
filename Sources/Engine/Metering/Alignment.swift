// Alignment.swift: the delay between two files. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc
import RealtimeKit

/// Finds the delay between two files by the normalised cross-correlation of the loudest part of the first one with
/// that region of the second one.
///
/// The channels are added up. An inverted file is found as well. Among equal peaks, such as those of a tone, the
/// smallest delay counts, unless only others cancel exactly.
struct Alignment {
  /// The length of the compared part, and the largest delay in frames, 2.7 s at 48 kHz.
  static let longestFrames = 1 << 17
  /// Below this, the files have nothing in common.
  static let minimumSimilarity = 0.1
  /// Channels beyond this number do not count.
  private static let channelLimit = 8
  /// Peaks that differ by less, between frames, are equal.
  private static let tolerance = 1e-3
  /// With less of the shorter file in common, similar frames are a coincidence.
  private static let minimumOverlap = 0.1
  /// A peak this close to 1 cancels but for rounding.
  private static let rounding = 1e-11

  /// The number of frames that the second file is later.
  let delayFrames: Int
  /// The magnitude of the correlation, from 0 to 1.
  let similarity: Double
  /// Whether other delays align the files as well.
  let isAmbiguous: Bool

  /// Reads the parts of both files and finds the delay.
  init(
    _ inputs: (ComparisonInput, ComparisonInput), _ scan: ComparisonScan
  ) throws(AudioFileError) {
    let part = min(Self.longestFrames, scan.first.frameCount)
    let reach = min(Self.longestFrames, max(scan.first.frameCount, scan.second.frameCount))
    let start = min(scan.loudestStart, scan.first.frameCount - part)
    let first = try Self.frames(of: inputs.0, from: start, part)
    let second = try Self.frames(of: inputs.1, from: start - reach, part + 2 * reach)
    let (length, other) = (scan.first.frameCount, scan.second.frameCount)
    let overlap = Int((Double(min(length, other)) * Self.minimumOverlap).rounded(.up))
    self.init(first, second, reach: reach, delays: overlap - length ... other - overlap)
  }

  /// Finds the delay of planar frames; `second` begins `reach` frames before `first` and ends `reach` after it.
  ///
  /// Only `delays` count, if they are given.
  init(
    _ first: [[Float]], _ second: [[Float]], reach: Int, delays: ClosedRange<Int>? = nil
  ) {
    let energy = first.reduce(0.0) { $0 + $1.reduce(0.0) { $0 + Double($1) * Double($1) } }
    let lags = 2 * reach + 1
    let energies = Self.energies(second, part: first.first?.count ?? 0, lags: lags)
    let largest = energies.max() ?? 0
    let floor = largest * 1e-9
    // A power of two, which changes no bit of the samples.
    let scale = energy > 0 && largest > 0 ? exp2((log2(energy / largest) / 2).rounded()) : 1
    let products = Self.correlation(first, second, scale: scale, lags: lags)
    let similarities = zip(products, energies).map { product, other in
      energy > 0 && other > floor ? abs(product) / (energy * other).squareRoot() : 0
    }
    let range = delays.map { $0.lowerBound + reach ..< $0.upperBound + reach + 1 }
    let indices = similarities.indices
    let peaks = Self.peaks(similarities, range?.clamped(to: indices) ?? indices)
    let exact = peaks.filter { similarities[$0] > 1 - Self.rounding }
    // Of two equal delays in opposite directions, the one without inversion counts.
    let lag = (exact.isEmpty ? peaks : exact).min {
      (abs($0 - reach), -products[$0]) < (abs($1 - reach), -products[$1])
    }
    similarity = min(1, lag.map { similarities[$0] } ?? 0)
    delayFrames = similarity < Self.minimumSimilarity ? 0 : (lag ?? reach) - reach
    isAmbiguous = similarity >= Self.minimumSimilarity && peaks.count > 1
  }

  /// Returns the highest of the local maxima in a range, and all that are as high between the frames.
  private static func peaks(_ values: [Double], _ range: Range<Int>) -> [Int] {
    let minimum = 0.5 * (values[range].max() ?? 0)
    let maxima = range.compactMap { index -> (index: Int, height: Double)? in
      let value = values[index]
      let before = index > 0 ? values[index - 1] : 0
      let after = index + 1 < values.count ? values[index + 1] : 0
      guard value > 0, value >= minimum, value > before, value >= after else { return nil }
      // The parabola through three points.
      let (slope, bend) = (after - before, 2 * value - before - after)
      return (index, min(1, value + slope * slope / (8 * bend)))
    }
    let best = maxima.map(\.height).max() ?? 0
    return maxima.filter { $0.height >= best * (1 - tolerance) }.map(\.index)
  }

  /// Returns finite samples from a frame on; frames before the start and after the end are silent.
  private static func frames(
    of input: ComparisonInput, from start: Int, _ count: Int
  ) throws(AudioFileError) -> [[Float]] {
    var reader = try AlignedReader(input, from: start)
    let channels = min(channelLimit, input.channelCount)
    let rows = PlanarBuffer(
      channelCount: input.channelCount, frameCapacity: ComparisonScan.blockFrames)
    var result = Array(repeating: [Float](), count: channels)
    for channel in result.indices { result[channel].reserveCapacity(count) }
    var left = count
    while left > 0 {
      let length = min(left, rows.frameCapacity)
      try reader.read(into: rows.channels, frameCount: length)
      for channel in result.indices {
        result[channel] += UnsafeBufferPointer(start: rows[channel], count: length)
          .lazy.map { $0.isFinite ? $0 : 0 }
      }
      left -= length
    }
    return result
  }

  /// Returns the sums of products of `first` and `second` shifted by 0 to `lags - 1` frames.
  ///
  /// `scale` makes `second` as loud as `first`, because the rounding errors of the louder one are in both spectra.
  private static func correlation(
    _ first: [[Float]], _ second: [[Float]], scale: Double, lags: Int
  ) -> [Double] {
    var size = 2
    while size < (first.first?.count ?? 0) + (second.first?.count ?? 0) { size *= 2 }
    var (sumReal, sumImaginary) = (
      [Double](repeating: 0, count: size), [Double](repeating: 0, count: size)
    )
    for (one, other) in zip(first, second) {
      // Two real sequences are the two parts of one complex transform.
      var real = one.map(Double.init) + [Double](repeating: 0, count: size - one.count)
      var imaginary =
        other.map { Double($0) * scale } + [Double](repeating: 0, count: size - other.count)
      FourierTransform.forward(&real, &imaginary)
      for line in 0 ..< size {
        let mirror = line == 0 ? 0 : size - line
        let oneReal = (real[line] + real[mirror]) / 2
        let oneImaginary = (imaginary[line] - imaginary[mirror]) / 2
        let otherReal = (imaginary[line] + imaginary[mirror]) / 2
        let otherImaginary = (real[mirror] - real[line]) / 2
        sumReal[line] += oneReal * otherReal + oneImaginary * otherImaginary
        // The conjugate: the inverse transform is done by a forward one.
        sumImaginary[line] -= oneReal * otherImaginary - oneImaginary * otherReal
      }
    }
    FourierTransform.forward(&sumReal, &sumImaginary)
    return sumReal.prefix(lags).map { $0 / Double(size) / scale }
  }

  /// Returns the energy of each part of `rows` that is `part` frames long.
  private static func energies(_ rows: [[Float]], part: Int, lags: Int) -> [Double] {
    guard let length = rows.first?.count, length >= part + lags - 1 else { return [] }
    let squares = (0 ..< length).map { frame in
      rows.reduce(0.0) { $0 + Double($1[frame]) * Double($1[frame]) }
    }
    var sum = squares[..<part].reduce(0, +)
    return (0 ..< lags).map { lag in
      if lag > 0 { sum += squares[lag + part - 1] - squares[lag - 1] }
      return max(0, sum)
    }
  }
}

/// Reads a file from any frame on; frames before the start and after the end are silent.
struct AlignedReader: ~Copyable {
  private var reader: AudioFileReader
  /// Silent frames before the start.
  private var lead: Int
  private var hasEnded: Bool
  private let channelCount: Int

  /// Opens a file and skips to a frame, which may be negative.
  ///
  /// Frames are read, because positions in compressed files are not exact.
  init(_ input: ComparisonInput, from start: Int) throws(AudioFileError) {
    var reader = try input.open()
    let channelCount = input.channelCount
    let rows = PlanarBuffer(channelCount: channelCount, frameCapacity: ComparisonScan.blockFrames)
    var left = max(0, start)
    var hasEnded = false
    while left > 0, !hasEnded {
      let length = min(left, rows.frameCapacity)
      hasEnded = try reader.read(into: rows.channels, frameCount: length) < length
      left -= length
    }
    self.reader = reader
    self.channelCount = channelCount
    self.hasEnded = hasEnded
    lead = max(0, -start)
  }

  /// Reads exactly `frameCount` frames.
  mutating func read(
    into rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws(AudioFileError) {
    let silent = min(lead, frameCount)
    lead -= silent
    var done = silent
    if !hasEnded, done < frameCount {
      let targets = (0 ..< channelCount).map { rows[$0] + silent }
      done += try reader.read(into: targets, frameCount: frameCount - silent)
      hasEnded = done < frameCount
    }
    for channel in 0 ..< channelCount {
      (rows[channel]).update(repeating: 0, count: silent)
      (rows[channel] + done).update(repeating: 0, count: frameCount - done)
    }
  }
}
