// Normalisation.swift: loudness before and after, as a table and as JSON. SPDX-License-Identifier: MIT

import Console
import HostModel
import Metering
import Session

/// The levels of a file before and after it was set to a loudness.
struct NormalisationJSON: Codable {
  let targetLUFS: Double
  /// Nil for silence.
  let loudnessBefore: Double?
  let loudnessAfter: Double?
  let truePeakBefore: Double?
  let truePeakAfter: Double?
  let gainDecibels: Double
  /// Whether the limiter was needed.
  let isLimited: Bool
  /// Whether the file, or the whole album, has the loudness within 0.1 LU.
  let isReached: Bool

  init(
    _ result: LoudnessNormaliser.Result, after: LoudnessLevels, _ target: LoudnessTarget,
    isReached: Bool
  ) {
    targetLUFS = target.loudness
    loudnessBefore = result.before.loudness.finiteForJSON
    loudnessAfter = after.loudness.finiteForJSON
    truePeakBefore = result.before.truePeak.finiteForJSON
    truePeakAfter = after.truePeak.finiteForJSON
    gainDecibels = result.gainDecibels
    isLimited = result.limited != nil
    self.isReached = isReached
  }
}

/// Files with their loudness before and after.
enum NormalisationTable {
  /// Returns the lines of the table, in the order of the jobs; none if no file has a loudness.
  static func lines(_ results: [RenderResult], _ jobs: [RenderJobs.Job]) -> [String] {
    guard results.contains(where: { $0.normalisation != nil }) else { return [] }
    var table = Table([
      .init("FILE", canShrink: true), .init("LUFS BEFORE", .right), .init("AFTER", .right),
      .init("DBTP BEFORE", .right), .init("AFTER", .right), .init("GAIN", .right), .init(""),
    ])
    for result in results {
      guard let levels = result.normalisation else { continue }
      table.add(
        [result.output == "-" ? "standard output" : result.output]
          + [
            levels.loudnessBefore, levels.loudnessAfter, levels.truePeakBefore,
            levels.truePeakAfter, levels.gainDecibels,
          ].map { NumberFormat.decibels($0 ?? -.infinity) }
          + [levels.isLimited ? "limited" : ""])
    }
    return table.lines(width: nil)
  }
}
