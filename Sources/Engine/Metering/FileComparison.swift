// FileComparison.swift: compares two files in several passes. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// Compares two files with the same number of channels and the same sample rate.
///
/// The files are read two to four times, so the memory does not depend on their length.
package enum FileComparison {
  /// Compares two files. [any]
  ///
  /// - Parameters:
  ///   - first: the reference.
  ///   - second: the file that is compared with it.
  ///   - settings: how they are aligned and subtracted.
  ///   - shouldContinue: called regularly with the fraction of a pass, nil if the length is unknown; returns false to stop.
  /// - Returns: nil if it was stopped.
  /// - Precondition: both have the same number of channels and the same sample rate.
  /// - Throws: errors of the files.
  package static func of(
    _ first: ComparisonInput, _ second: ComparisonInput, _ settings: ComparisonSettings,
    shouldContinue: (Double?) -> Bool = { _ in true }
  ) throws(AudioFileError) -> Comparison? {
    precondition(first.channelCount == second.channelCount, "channel counts were checked")
    precondition(first.sampleRateHz == second.sampleRateHz, "sample rates were checked")
    let inputs = (first, second)
    guard let scan = try ComparisonScan.of(inputs, shouldContinue: shouldContinue) else {
      return nil
    }
    let isGivenDelay = if case .frames(let frames) = settings.delay { frames != 0 } else { false }
    if scan.isIdentical, !isGivenDelay, !settings.isDrawn { return identical(inputs, scan) }
    var alignment: Alignment?
    var delay = 0
    switch settings.delay {
    case .frames(let frames): delay = frames
    case .automatic where scan.isIdentical || scan.first.peak == 0 || scan.second.peak == 0: break
    case .automatic:
      let found = try Alignment(inputs, scan)
      (alignment, delay) = (found, found.delayFrames)
    }
    let range = ComparedRange(
      scan.first.frameCount, scan.second.frameCount, delayFrames: delay)
    var gain = 1.0
    if settings.matchesLevel {
      let plain = DifferencePass(first, scale: 1, ComparisonSettings())
      guard try plain.read(inputs, range, shouldContinue: shouldContinue) else { return nil }
      gain = plain.total.gain.map { pow(10, $0 / 20) * plain.sign } ?? 1
    }
    let pass = DifferencePass(first, scale: gain, settings)
    guard try pass.read(inputs, range, shouldContinue: shouldContinue) else { return nil }
    return Comparison(
      first: side(first, scan.first), second: side(second, scan.second),
      isIdentical: scan.isIdentical && delay == 0, delayFrames: delay,
      isDelayAmbiguous: alignment?.isAmbiguous ?? false, similarity: alignment?.similarity,
      isInverted: pass.sign < 0,
      frameCount: range.frameCount, paddingFrames: range.paddingFrames, total: pass.total,
      channels: pass.channels, bands: pass.bands, largest: pass.largest, earliest: pass.earliest,
      history: settings.isDrawn ? pass.history : nil)
  }

  /// Returns the result for equal files, which have no difference to measure.
  private static func identical(
    _ inputs: (ComparisonInput, ComparisonInput), _ scan: ComparisonScan
  ) -> Comparison {
    let levels = Comparison.Levels(
      gain: scan.first.peak > 0 ? 0 : nil, null: -.infinity, matchedNull: -.infinity,
      peak: -.infinity)
    let bands = DifferencePass.octaves(below: Double(inputs.0.sampleRateHz) / 2)
    return Comparison(
      first: side(inputs.0, scan.first), second: side(inputs.1, scan.second), isIdentical: true,
      delayFrames: 0, isDelayAmbiguous: false, similarity: nil, isInverted: false,
      frameCount: scan.first.frameCount, paddingFrames: 0, total: levels,
      channels: Array(repeating: levels, count: inputs.0.channelCount),
      bands: bands.map { .init(centreHz: $0.nominal, null: -.infinity) }, largest: nil,
      earliest: nil, history: nil)
  }

  private static func side(
    _ input: ComparisonInput, _ scan: ComparisonScan.Side
  ) -> Comparison.Side {
    Comparison.Side(
      name: input.name, sampleRateHz: input.sampleRateHz, channelCount: input.channelCount,
      frameCount: scan.frameCount, peak: DecibelConversion.fromAmplitude(Double(scan.peak)),
      invalid: scan.invalid, note: scan.note)
  }
}

/// The frames that are compared.
///
/// The frames that a delay shifts beyond the start or the end of the other file are left out. If a file is shorter by
/// more than that, it is padded with silence.
struct ComparedRange: Equatable {
  /// The first frame of the first file.
  let start: Int
  /// The number of frames.
  let frameCount: Int
  /// The number of frames that the second file is later.
  let delayFrames: Int
  /// Silent frames after the end of the first file, or of the second one if negative.
  let paddingFrames: Int

  init(_ first: Int, _ second: Int, delayFrames: Int) {
    self.delayFrames = delayFrames
    start = max(0, -delayFrames)
    let end = second - delayFrames
    let missing = end - first
    if abs(missing) <= abs(delayFrames) {
      frameCount = max(0, min(first, end) - start)
      paddingFrames = 0
    } else {
      frameCount = max(0, max(first, end) - start)
      paddingFrames = missing
    }
  }
}
