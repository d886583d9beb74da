// LoudnessNormaliser.swift: sets files to a loudness with a true-peak limit. SPDX-License-Identifier: MIT

package import AudioFiles
package import Metering
import OfflineDriver
package import PluginLoading

/// Finds the gain that gives one or several files a loudness.
///
/// A file whose true peak would exceed the limit passes the included limiter, which lowers the loudness. So the gain
/// is raised until the loudness after the limiter is right, by the secant method. All files get the same gain. The
/// limiter's ceiling moves until the true peak after the limiter is at most 0.1 dB below the limit.
package final class LoudnessNormaliser {
  /// A file to normalise.
  package struct Source: Sendable {
    /// The name for messages.
    package var name: String
    /// The path that is read, repeatedly.
    package var path: String
    /// Keeps a temporary file at that path.
    package var copy: UnnamedFile?

    /// Creates a source.
    package init(name: String, path: String, copy: UnnamedFile? = nil) {
      (self.name, self.path, self.copy) = (name, path, copy)
    }
  }

  /// A file with the gain that was found.
  package struct Result: Sendable {
    /// The file.
    package let source: Source
    /// The output of the limiter, which contains the gain; nil if the file was not limited.
    package let limited: UnnamedFile?
    /// The gain in dB.
    package let gainDecibels: Double
    /// The levels before and after.
    package let before: LoudnessLevels
    package let after: LoudnessLevels
    /// The number of invalid samples of the source.
    package let invalidSampleCount: Int
    /// The loudness of all files together after their gain.
    package internal(set) var albumLoudness = 0.0
  }

  /// The accepted deviation in LU, so that later rounding stays within `LoudnessTarget.tolerance`.
  private static let precision = 0.03
  private static let roundCount = 14
  /// The maximum reduction by the limiter in dB, and the minimum effect of a gain change (LU per dB) for another round.
  private static let (longestReach, flattestSlope) = (20.0, 0.12)
  /// How far the true peak may stay below the limit in dB, what is aimed at, and how often a ceiling is raised.
  private static let (peakTolerance, peakAim, raiseCount) = (0.1, 0.03, 2)

  let target: LoudnessTarget
  let library: PluginLibrary
  let shouldContinue: () -> Bool

  /// Creates a normaliser. [main]
  ///
  /// - Parameters:
  ///   - target: the loudness and the limit.
  ///   - library: finds the limiter.
  ///   - shouldContinue: called regularly; returns false to stop.
  package init(
    _ target: LoudnessTarget, _ library: PluginLibrary, shouldContinue: @escaping () -> Bool
  ) {
    (self.target, self.library, self.shouldContinue) = (target, library, shouldContinue)
  }

  // MARK: - Measurement

  /// A measured file.
  package struct Measured {
    /// The file.
    package let source: Source
    /// A message about a truncated file; nil if there is none.
    package let note: String?
    let scan: LoudnessScan
    let channelCount: Int
    /// The distance of the limiter's ceiling below the limit in dB: positive if peaks exceed the limit.
    var margin = 0.0
    /// How often the ceiling was raised.
    var raiseCount = 0
    /// The common envelope of more than two channels, once it was needed.
    var envelope: UnnamedFile?
  }

  /// Measures a file. [main]
  ///
  /// - Throws: errors of the file, `LoudnessError`, and that it was stopped.
  package func measure(_ source: Source) throws -> Measured {
    var reader = try AudioFileReader(path: source.path)
    let (channels, rate) = (reader.channelCount, reader.sampleRateHz)
    guard let scan = try LoudnessScan(&reader, shouldContinue: shouldContinue) else {
      guard shouldContinue() else { throw OfflineError.cancelled(seconds: 0) }
      throw LoudnessError.undefined(
        name: source.name, channelCount: channels, sampleRateHz: rate)
    }
    if scan.invalidSampleCount > 0, !scan.levels.loudness.isFinite {
      throw LoudnessError.invalid(name: source.name, count: scan.invalidSampleCount)
    }
    guard scan.levels.truePeak > -.infinity else { throw LoudnessError.silent(name: source.name) }
    guard scan.levels.loudness.isFinite else { throw LoudnessError.tooShort(name: source.name) }
    return Measured(source: source, note: reader.note, scan: scan, channelCount: channels)
  }

  private func scan(_ path: String, gainDecibels: Double) throws -> LoudnessScan {
    var reader = try AudioFileReader(path: path)
    guard
      let scan = try LoudnessScan(
        &reader, gainDecibels: gainDecibels, shouldContinue: shouldContinue)
    else {
      throw OfflineError.cancelled(seconds: 0)
    }
    return scan
  }

  // MARK: - Gain

  /// A gain, and what it gave.
  private struct Attempt {
    let gain: Double
    let loudness: Double
    let results: [Result]
    let exceeds: Bool
    /// By how much the ceilings move for the next attempt in dB, on average.
    let ceilingChange: Double
    let raisesCeiling: Bool
  }

  /// Finds the gain that gives all files together the loudness. [main]
  ///
  /// - Returns: the files with the levels that they get. The loudness may be out of reach; then it is the nearest
  ///   one that was found.
  /// - Throws: errors of the files and of the limiter, and that it was stopped.
  package func normalise(_ files: [Measured]) throws -> [Result] {
    var files = files
    guard !files.isEmpty else { return [] }
    let first = target.loudness - LoudnessScan.loudness(of: files.map(\.scan))
    var gain = first
    var best: Attempt?
    var last: Attempt?
    var slope = 1.0
    for _ in 0 ..< Self.roundCount {
      let attempt = try attempt(&files, gain)
      let error = target.loudness - attempt.loudness
      let isNearer = abs(error) < abs(target.loudness - (best?.loudness ?? .infinity))
      if !attempt.exceeds, isNearer || best?.exceeds != false { best = attempt }
      if best == nil { best = attempt }
      if !attempt.exceeds, !attempt.raisesCeiling, abs(error) <= Self.precision {
        return attempt.results
      }
      if let last {
        // Gain and ceiling raised by 1 dB together raise the loudness by 1 dB.
        let moved = last.ceilingChange
        let change = attempt.gain - last.gain - moved
        if abs(change) > 0.01 { slope = (attempt.loudness - last.loudness - moved) / change }
        let isFlat = slope < Self.flattestSlope && error > Self.precision
        if isFlat, !attempt.exceeds, !attempt.raisesCeiling { break }
      }
      last = attempt
      let effect = max(Self.flattestSlope, min(1, slope))
      let missing = error - (1 - effect) * attempt.ceilingChange
      if abs(missing) > Self.precision { gain += max(-6, min(6, missing / effect)) }
      if gain - first > Self.longestReach { break }
    }
    return best?.results ?? []
  }

  private func attempt(_ files: inout [Measured], _ gain: Double) throws -> Attempt {
    var results: [Result] = []
    var scans: [LoudnessScan] = []
    var (exceeds, raisesCeiling, ceilingChange) = (false, false, 0.0)
    for index in files.indices {
      let (result, scan) = try apply(gain, to: &files[index])
      let excess = result.after.truePeak - target.truePeak
      if result.limited != nil {
        let change = self.ceilingChange(&files[index], excess)
        files[index].margin -= change
        ceilingChange += change / Double(files.count)
        if change > 0 { raisesCeiling = true }
        if excess > 0 { exceeds = true }
      }
      results.append(result)
      scans.append(scan)
    }
    let loudness = LoudnessScan.loudness(of: scans)
    for index in results.indices { results[index].albumLoudness = loudness }
    return Attempt(
      gain: gain, loudness: loudness, results: results, exceeds: exceeds,
      ceilingChange: ceilingChange, raisesCeiling: raisesCeiling)
  }

  /// Returns by how much the ceiling must move in dB, for a true peak that exceeds the limit by `excess` dB.
  private func ceilingChange(_ file: inout Measured, _ excess: Double) -> Double {
    if excess > 0 { return -excess - 0.01 }
    // The limiter's highest ceiling is 0 dB.
    let change = min(-excess - Self.peakAim, file.margin - target.truePeak)
    guard excess < -Self.peakTolerance, change > 0.01, file.raiseCount < Self.raiseCount else {
      return 0
    }
    file.raiseCount += 1
    return change
  }

  private func apply(_ gain: Double, to file: inout Measured) throws -> (Result, LoudnessScan) {
    let isLimited = gain > target.truePeak - file.scan.levels.truePeak
    let limited = isLimited ? try limit(&file, gain) : nil
    let scan = try scan(
      limited?.path ?? file.source.path, gainDecibels: isLimited ? 0 : gain)
    let result = Result(
      source: file.source, limited: limited, gainDecibels: gain, before: file.scan.levels,
      after: scan.levels, invalidSampleCount: file.scan.invalidSampleCount)
    return (result, scan)
  }

  // MARK: - Output

  /// The result of writing a file.
  package struct Written: Sendable {
    /// The length in frames.
    package let frameCount: Int
    /// The samples that an integer format clipped.
    package let clippedSampleCount: Int
    /// The peak of each channel, linear.
    package let peaks: [Float]
  }

  /// Writes a file with its gain. [main]
  ///
  /// - Throws: errors of the files, and that it was stopped.
  package func write(_ result: Result, _ settings: AudioFileWriter.Settings) throws -> Written {
    var reader = try AudioFileReader(path: result.limited?.path ?? result.source.path)
    var writer = try AudioFileWriter(settings)
    let gain = result.limited == nil ? result.gainDecibels : 0
    let copied = try AudioCopy.copy(
      &reader, to: &writer, gainDecibels: gain, shouldContinue: shouldContinue)
    guard let copied else { throw OfflineError.cancelled(seconds: 0) }
    try writer.finish()
    return Written(
      frameCount: writer.frameCount, clippedSampleCount: writer.clippedSampleCount, peaks: copied)
  }
}
