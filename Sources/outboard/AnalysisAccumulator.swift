// AnalysisAccumulator.swift: the reports of an analyser, combined over time. SPDX-License-Identifier: MIT

import Builtins
import Glibc

/// Combines consecutive reports of one analyser.
struct AnalysisAccumulator {
  /// The first and last reports that were added; nil if there is none.
  private var newest: AnalyserReport?
  private var peaks: [Double] = []
  /// Mean powers multiplied by seconds.
  private var energies: [Double] = []
  private var bandEnergies: [Double] = []
  private var seconds = 0.0

  /// Adds a report about `seconds` (above 0).
  mutating func add(_ report: AnalyserReport, seconds: Double) {
    peaks = peaks.isEmpty ? report.peakDecibels : zip(peaks, report.peakDecibels).map(max)
    Self.add(report.rmsDecibels, seconds, to: &energies)
    Self.add(report.bands.map(\.decibels), seconds, to: &bandEnergies)
    self.seconds += seconds
    let strongestHz = report.strongestHz ?? newest?.strongestHz
    newest = report
    newest?.strongestHz = strongestHz
  }

  /// Returns one report for the whole time: highest peaks, mean levels, the latest strongest frequency.
  var report: AnalyserReport? {
    guard var report = newest, seconds > 0 else { return nil }
    report.peakDecibels = peaks
    report.rmsDecibels = energies.map { 10 * log10($0 / seconds) }
    for index in report.bands.indices {
      report.bands[index].decibels = 10 * log10(bandEnergies[index] / seconds)
    }
    return report
  }

  private static func add(_ decibels: [Double], _ seconds: Double, to sums: inout [Double]) {
    let energies = decibels.map { pow(10, $0 / 10) * seconds }
    sums = sums.isEmpty ? energies : zip(sums, energies).map(+)
  }
}
